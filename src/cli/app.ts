/** The command tree. A verb loads only its own module. */
import {
  type Application,
  buildApplication,
  buildRouteMap,
  type FlagParametersForType,
  help,
  type StricliIntegration,
} from "@stricli/core";
import { ACTING, COMMON, DRY_RUN, EACH, flag, parseLines, REGISTER, TARGET } from "./flags.ts";
import type { TreeTargetFlags } from "./change_tree.ts";
import { type CliContext, command, profileCommand, profilesCommand } from "./command.ts";
import { parseSince } from "./since.ts";
import { USAGE_TEXT } from "./usage_text.ts";
import { VERSION } from "./version.ts";

/** Of every verb on a tree that root installs. There is no tree in a scandir that others can change. */
const TREE: FlagParametersForType<TreeTargetFlags> = {
  manager: TARGET.manager,
  scandir: {
    ...TARGET.scandir,
    brief: "Root's DIR, in which the tree's service is; by default /run/service",
  },
  config: TARGET.config,
};

const root = buildRouteMap<string, CliContext>({
  docs: { brief: "Run long-lived gateways under the service manager this machine has" },
  routes: {
    detect: command({
      brief: "Tell which manager this machine runs, and why",
      description: "Tells which manager this machine runs, and why. Exits 3 when there is none.",
      flags: COMMON,
      load: () => import("./commands/detect.ts"),
    }),
    render: profileCommand({
      brief: "Print the files of a profile, or write them below a folder",
      flags: {
        out: {
          kind: "parsed",
          parse: String,
          placeholder: "DIR",
          brief: "Write the files below DIR, where nothing of that name may be",
          optional: true,
        },
        interpreter: {
          kind: "enum",
          values: ["sh", "with-contenv"],
          brief: "What starts the scripts; with-contenv under s6-overlay, by default as on this machine",
          optional: true,
        },
        dryRun: flag("With --out: print the steps, and do nothing"),
        ...REGISTER,
        ...TARGET,
        ...COMMON,
      },
      aliases: { e: "env" },
      load: () => import("./commands/render.ts"),
    }),
    register: profileCommand({
      brief: "Give a profile a service, and start it",
      flags: { ...REGISTER, ...ACTING },
      aliases: { e: "env" },
      load: () => import("./commands/register.ts"),
    }),
    unregister: profilesCommand({
      brief: "Take the services of profiles away",
      flags: ACTING,
      load: () => import("./commands/unregister.ts"),
    }),
    start: profilesCommand({
      brief: "Start gateways, and wait until they are up",
      flags: EACH,
      load: () => import("./commands/start.ts"),
    }),
    stop: profilesCommand({
      brief: "Stop gateways, and wait until they are down",
      flags: EACH,
      load: () => import("./commands/stop.ts"),
    }),
    restart: profilesCommand({
      brief: "Stop and start gateways, and wait for the new processes",
      flags: EACH,
      load: () => import("./commands/restart.ts"),
    }),
    status: profilesCommand({
      brief: "Show what gateways are doing",
      description: "Shows what the named gateways are doing, or all that are registered.\n" +
        "Exits 0 when each that is named runs, 3 when one is down, 4 when one is not registered or not known.",
      flags: { ...TARGET, ...COMMON },
      load: () => import("./commands/status.ts"),
    }),
    list: command({
      brief: "List the registered profiles",
      flags: { ...TARGET, ...COMMON },
      load: () => import("./commands/list.ts"),
    }),
    logs: profileCommand({
      brief: "Print the log of a profile, rotated files included",
      flags: {
        follow: flag("Go on with what is written from now on; begins with the last 10 lines"),
        lines: {
          kind: "parsed",
          parse: parseLines,
          placeholder: "N",
          brief: "Only the last N lines",
          optional: true,
        },
        since: {
          kind: "parsed",
          parse: (text: string) => parseSince(text),
          placeholder: "TIME",
          brief: "Only lines since TIME: 10m, 2h, 2025-01-31T08:00",
          optional: true,
        },
        ...TARGET,
        quiet: COMMON.quiet,
        noColor: COMMON.noColor,
      },
      aliases: { f: "follow", n: "lines" },
      load: () => import("./commands/logs.ts"),
    }),
    tree: buildRouteMap<string, CliContext>({
      docs: {
        brief: "Run the service user's own supervision tree, so that nothing of it runs as root",
      },
      routes: {
        install: command({
          brief: "As root: make the tree of the service user, and start it",
          flags: { dryRun: DRY_RUN, ...TREE, ...COMMON },
          load: () => import("./commands/tree_install.ts"),
        }),
        uninstall: command({
          brief: "As root: stop the tree with all its gateways, and take it away",
          flags: { dryRun: DRY_RUN, ...TREE, ...COMMON },
          load: () => import("./commands/tree_uninstall.ts"),
        }),
        status: command({
          brief: "Show whether the tree runs",
          flags: { ...TREE, ...COMMON },
          load: () => import("./commands/tree_status.ts"),
        }),
        run: command({
          brief: "Run a tree of your own in the foreground, where no manager runs",
          flags: {
            scandir: {
              ...TARGET.scandir,
              brief: "A DIR that is yours alone; by default in XDG_RUNTIME_DIR, else /tmp/gatewarden-UID",
            },
            quiet: COMMON.quiet,
            noColor: COMMON.noColor,
          },
          load: () => import("./commands/tree_run.ts"),
        }),
      },
    }),
    demo: command({
      brief: "Show it all at work on a private s6, from start to finish",
      flags: { noColor: COMMON.noColor },
      load: () => import("./commands/demo.ts"),
    }),
  },
});

/** `--version`, with both short forms that people try. */
const version: StricliIntegration<CliContext> = {
  flag: {
    brief: "Print the version",
    aliases: ["v", "V"],
    run() {
      this.process.stdout.write(`${VERSION}\n`);
    },
  },
};

/** The application, for the parser to run. */
export const app: Application<CliContext> = buildApplication(root, {
  name: "gatewarden",
  scanner: {
    caseStyle: "allow-kebab-for-camel",
    allowArgumentEscapeSequence: true,
    // A typing error away, and no more: the default guesses "demo", "logs" and "stop" for "foo".
    distanceOptions: {
      threshold: 3,
      weights: { insertion: 1, deletion: 2, substitution: 2, transposition: 0 },
    },
  },
  localization: { text: USAGE_TEXT },
}, {
  help: help({
    brief: "Print help",
    defaultForRouteMap: true,
    formatting: {
      useAliasInUsageLine: false,
      onlyRequiredInUsageLine: true,
      caseStyle: "convert-camel-to-kebab",
    },
  }),
  version,
});
