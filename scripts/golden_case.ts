/**
 * A golden case: a folder with a case.json, and a definition.json where it is about another definition than the
 * built-in one. What it renders to lies in a folder for each manager:
 *
 *     golden/named/case.json
 *     golden/named/s6/gateway-coder/run      the files, at the path the manager wants them at
 *     golden/named/s6/MODES                  "0755 gateway-coder/run", a line a file
 *     golden/named/s6/COMMANDS               the steps of each verb, as --dry-run prints them
 *     golden/errors/bad-name/s6/ERROR        instead of all these: the error that the input gives
 */
import { existsSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { formatPlan } from "../src/cli/format_plan.ts";
import { GatewardenError } from "../src/errors.ts";
import { type GatewayDefinition, HERMES } from "../src/gateway/definition.ts";
import { profileFolderOf, serviceName } from "../src/gateway/profile.ts";
import type { Plan, RenderedFile } from "../src/manager.ts";
import { planRegister, planRestart, planStart, planStop, planUnregister } from "../src/s6/plan.ts";
import { type Interpreter, renderSlot } from "../src/s6/render.ts";
import type { S6Context, SlotFacts } from "../src/s6/steps.ts";
import { planTreeInstall, planTreeUninstall, renderTree, treeService } from "../src/s6/tree.ts";

/** What a case.json holds. */
interface Case {
  /** Whose slot it is; not there in a case of a tree. */
  readonly profile: string;
  /** The service user's own tree, instead of a slot. */
  readonly tree?: boolean;
  /** By default `with-contenv`. */
  readonly interpreter?: Interpreter;
  readonly environment?: Readonly<Record<string, string>>;
  /** What `--env-from` has read. */
  readonly secretEnvironment?: Readonly<Record<string, string>>;
  /** Whether the profile has a gateway_state.json; by default it has none. */
  readonly gatewayState?: boolean;
  /** By default true. */
  readonly startNow?: boolean;
}

/** The file that makes a folder a case. */
export const CASE_FILE = "case.json";

/** The files that are written by hand; all others of a case are rendered. */
export const INPUT_FILES: readonly string[] = [CASE_FILE, "definition.json"];

type Renderer = (definition: GatewayDefinition, input: Case) => RenderedFile[];

const RENDERERS: Readonly<Record<string, Renderer>> = {
  s6: renderS6,
};

/** Everything a case renders to, at paths relative to its folder. */
export async function renderCase(folder: string): Promise<RenderedFile[]> {
  const input: Case = JSON.parse(readFileSync(join(folder, CASE_FILE), "utf8"));
  const files: RenderedFile[] = [];
  for (const [manager, render] of Object.entries(RENDERERS)) {
    const rendering = readDefinition(folder).then((definition) => render(definition, input));
    const rendered = await rendering.catch(errorFile);
    files.push(...rendered.map((file) => ({ ...file, path: `${manager}/${file.path}` })));
  }
  return files;
}

async function readDefinition(folder: string): Promise<GatewayDefinition> {
  const path = join(folder, "definition.json");
  if (!existsSync(path)) return HERMES;
  const { parseDefinitionText } = await import("../src/gateway/parse_definition.ts");
  return parseDefinitionText(readFileSync(path, "utf8"), "definition.json");
}

function errorFile(error: unknown): RenderedFile[] {
  if (!(error instanceof GatewardenError)) throw error;
  const text = `code: ${error.code}\nmessage: ${error.message}\nhint: ${error.hint}\n`;
  return [{ path: "ERROR", mode: 0o644, text }];
}

function renderS6(definition: GatewayDefinition, input: Case): RenderedFile[] {
  if (input.tree === true) return renderTreeCase(definition, input);
  const { profile, interpreter = "with-contenv", environment = {}, secretEnvironment = {} } = input;
  const { startNow = true, gatewayState = false } = input;
  const options = { interpreter, extraEnv: environment, secretEnv: secretEnvironment, startNow };
  const files = renderSlot(definition, profile, options);
  const context = { ...HOSTS[interpreter], ...FIXED, ...namesOf(definition, profile), gatewayState };
  const slot: SlotFacts = {
    log: true,
    supervised: true,
    down: !startNow,
    own: true,
    process: startNow ? PROCESS : undefined,
  };
  const plans = [
    planRegister(context, files, startNow),
    planUnregister(context, slot),
    planStart(context, slot),
    planStop(context, slot),
    planRestart(context, slot),
  ];
  return [...files, modesFile(files), commandsFile(plans)];
}

function renderTreeCase(
  definition: GatewayDefinition,
  { interpreter = "with-contenv" }: Case,
): RenderedFile[] {
  const { user } = definition;
  const { programs } = HOSTS[interpreter];
  const context: S6Context = {
    ...FIXED,
    ...namesOf(definition, "default"),
    gatewayState: false,
    profile: user,
    service: treeService(user),
    scandir: "/run/service",
    programs,
    group: undefined,
    profileFolder: undefined,
  };
  const files = renderTree(definition, interpreter);
  const find = [posix.join(posix.dirname(programs["s6-svc"]), "s6-setuidgid"), user, "/usr/bin/find"];
  const found = {
    trees: false,
    scandir: "absent",
    half: false,
    ids: { uid: 10000, gid: 10000 },
    find,
  } as const;
  const slot: SlotFacts = { log: false, supervised: true, down: false, own: true, process: PROCESS };
  const plans = [
    planTreeInstall(context, files, found),
    planTreeUninstall(context, { slot, scandir: true, find }),
  ];
  return [...files, modesFile(files), commandsFile(plans)];
}

/** Two hosts: a container in which root owns the tree, and a machine on which it is the service user's own. */
const HOSTS: Readonly<Record<Interpreter, Pick<S6Context, "scandir" | "programs" | "group">>> = {
  "with-contenv": { scandir: "/run/service", programs: programsIn("/command"), group: 10000 },
  sh: { scandir: "/home/hermes/service", programs: programsIn("/usr/bin"), group: undefined },
};

const FIXED: Pick<S6Context, "owner" | "now" | "callerPid"> = {
  owner: "OWNER",
  now: new Date("2026-01-02T03:04:05.678Z"),
  callerPid: 200,
};

const PROCESS: NonNullable<SlotFacts["process"]> = { pid: 100, startTime: 2000 };

function programsIn(folder: string): S6Context["programs"] {
  return {
    "s6-svc": `${folder}/s6-svc`,
    "s6-svscanctl": `${folder}/s6-svscanctl`,
    "s6-svstat": `${folder}/s6-svstat`,
    "s6-svwait": `${folder}/s6-svwait`,
  };
}

function namesOf(
  definition: GatewayDefinition,
  profile: string,
): Pick<S6Context, "definition" | "profile" | "service" | "profileFolder"> {
  const service = serviceName(profile, definition);
  return { definition, profile, service, profileFolder: profileFolderOf(definition.home, profile) };
}

function modesFile(files: readonly RenderedFile[]): RenderedFile {
  const lines = files.map(({ path, mode }) => `${mode.toString(8).padStart(4, "0")} ${path}\n`);
  return { path: "MODES", mode: 0o644, text: lines.join("") };
}

function commandsFile(plans: readonly Plan[]): RenderedFile {
  const blocks = plans.map((plan) => `# gatewarden ${callOf(plan)}\n${formatPlan(plan)}`);
  return { path: "COMMANDS", mode: 0o644, text: blocks.join("\n") };
}

function callOf({ verb, profile }: Plan): string {
  return verb.startsWith("tree ") ? verb : `${verb} ${profile}`;
}
