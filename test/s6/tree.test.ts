import { describe, expect, it } from "vitest";
import { HERMES } from "../../src/gateway/definition.ts";
import type { Plan } from "../../src/manager.ts";
import type { S6Context } from "../../src/s6/steps.ts";
import {
  planTreeInstall,
  planTreeUninstall,
  renderTree,
  treeBudgetMs,
  type TreeFacts,
  treeScandir,
  treeService,
} from "../../src/s6/tree.ts";
import { brief, briefly, context as container, slot, steps } from "./plan_context.ts";

const SERVICE = "/run/service/gatewarden-hermes";
const NEW = "/run/service/.gatewarden-gatewarden-hermes.new.1-2-3-0";
const OLD = "/run/service/.gatewarden-gatewarden-hermes.old.1-2-3-0";
const SCANDIR = "/run/gatewarden/hermes";
const EMPTY = `s6-setuidgid hermes /usr/bin/find ${SCANDIR} -mindepth 1 -delete`;

const context: S6Context = {
  ...container,
  profile: "hermes",
  service: treeService("hermes"),
  group: undefined,
  profileFolder: undefined,
};
const files = renderTree(HERMES, "with-contenv");
const facts: TreeFacts = {
  trees: false,
  scandir: "absent",
  half: false,
  ids: { uid: 10000, gid: 10001 },
  find: ["/command/s6-setuidgid", "hermes", "/usr/bin/find"],
};
const running = { ...slot, log: false };

const textOf = (name: string, all = files): string =>
  all.find(({ path }) => path.endsWith(`/${name}`))?.text ?? "";
/** What is done once the service is in place, in a few words. */
const afterRename = (plan: Plan): string[] => {
  const all = briefly(plan);
  return all.slice(all.indexOf(`rename ${NEW} ${SERVICE}`) + 1);
};

describe("renderTree", () => {
  it("has a service without a logger: what the gateways say goes to the output of root's s6-svscan", () => {
    expect(files.map(({ path, mode }) => [path, mode.toString(8)])).toEqual([
      ["gatewarden-hermes/notification-fd", "644"],
      ["gatewarden-hermes/run", "755"],
      ["gatewarden-hermes/timeout-kill", "644"],
      ["gatewarden-hermes/type", "644"],
    ]);
  });

  it("lets the tree take longer to stop than any of its gateways may", () => {
    expect(Number(textOf("timeout-kill"))).toBeGreaterThan(
      (HERMES.stop.drainSeconds + HERMES.stop.graceSeconds) * 1000,
    );
    expect(Number(textOf("timeout-kill"))).toBe(treeBudgetMs(HERMES));
  });

  it("says that it is up on the descriptor that s6-supervise listens to", () => {
    expect(textOf("run")).toContain(`s6-svscan -d ${textOf("notification-fd").trim()} ${SCANDIR}\n`);
  });

  it("starts with the interpreter of the machine", () => {
    expect(textOf("run")).toMatch(/^#!\/command\/with-contenv sh\n/);
    expect(textOf("run", renderTree(HERMES, "sh"))).toMatch(/^#!\/bin\/sh\n/);
  });

  it("takes nothing from the definition but the user: root runs it", () => {
    const other = {
      ...HERMES,
      path: ["/evil"],
      environment: { PATH: "/evil" },
      home: "/evil",
      homeVariable: "EVIL",
    };
    expect(renderTree(other, "with-contenv")).toEqual(files);
  });

  it("is each user's own", () => {
    const relay = renderTree({ ...HERMES, user: "_relay" }, "sh");
    expect(textOf("run", relay)).toContain("exec s6-setuidgid _relay ");
    expect(textOf("run", relay)).not.toContain("hermes");
    expect(relay.every(({ path }) => path.startsWith("gatewarden-_relay/"))).toBe(true);
  });
});

describe("planTreeInstall", () => {
  it("builds the service as root's, then makes the user's scandir, and waits until it is watched", () => {
    const plan = planTreeInstall(context, files, facts);
    expect(plan.verb).toBe("tree install");
    expect(afterRename(plan)).toEqual([
      "mkdir /run/gatewarden",
      `mkdir ${SCANDIR}`,
      "s6-svscanctl -a /run/service",
      `wait supervised ${SERVICE}`,
      `remove ${SERVICE}/data/registering`,
      `s6-svwait -U -t 5000 ${SERVICE}`,
    ]);
  });

  it("gives the user the scandir and nothing else", () => {
    const plan = planTreeInstall(context, files, facts);
    const given = plan.steps.filter((step) => "owner" in step || "group" in step);
    expect(given).toMatchObject([{ do: "mkdir", path: SCANDIR, mode: 0o755, owner: 10000, group: 10001 }]);
    expect(steps(plan, "mkdir /run/gatewarden")[0]).toEqual({
      do: "mkdir",
      path: "/run/gatewarden",
      mode: 0o755,
    });
  });

  it("empties a scandir that is left, as the user, and makes no folder that is there", () => {
    const plan = planTreeInstall(context, files, { ...facts, trees: true, scandir: "own" });
    expect(afterRename(plan).slice(0, 2)).toEqual([EMPTY, "s6-svscanctl -a /run/service"]);
  });

  it("replaces a scandir that is not the user's", () => {
    const plan = planTreeInstall(context, files, { ...facts, trees: true, scandir: "foreign" });
    expect(afterRename(plan).slice(0, 2)).toEqual([`remove ${SCANDIR}`, `mkdir ${SCANDIR}`]);
  });

  it.each(
    [
      ["before the scandir was made", { scandir: "absent" }, [`mkdir ${SCANDIR}`]],
      ["after it: what may run in there is left alone", { scandir: "own" }, []],
    ] as const,
  )("finishes an installation that was killed %s", (_, found, prepare) => {
    const plan = planTreeInstall(context, files, { ...facts, trees: true, half: true, ...found });
    expect(briefly(plan)).toEqual([
      ...prepare,
      "s6-svscanctl -a /run/service",
      `wait supervised ${SERVICE}`,
      `remove ${SERVICE}/data/registering`,
      `s6-svwait -U -t 5000 ${SERVICE}`,
    ]);
  });

  it("takes all back but the folder of all trees, and deletes what the user made as the user", () => {
    const undo = planTreeInstall(context, files, facts).steps.toReversed().flatMap((step) => step.undo ?? []);
    expect(undo.map(brief)).toEqual([
      EMPTY,
      `remove ${SCANDIR}`,
      `rename ${SERVICE} ${NEW}`,
      "s6-svscanctl -a /run/service",
      `s6-svc -dx ${NEW}`,
      `wait unsupervised ${NEW}`,
      `remove ${NEW}`,
      `remove ${NEW}`,
    ]);
  });

  it("says which s6-svscan did not come up", () => {
    expect(steps(planTreeInstall(context, files, facts), "s6-svwait")).toMatchObject([
      { failures: { 99: { is: "gateway", why: `after 5 s no s6-svscan of hermes's watches ${SCANDIR}` } } },
    ]);
  });
});

describe("planTreeUninstall", () => {
  it("stops the tree, takes the service away, and lets the user delete what is the user's", () => {
    const plan = planTreeUninstall(context, { slot: running, scandir: true, find: facts.find });
    expect(plan.verb).toBe("tree uninstall");
    expect(briefly(plan)).toEqual([
      `s6-svc -wD -T ${treeBudgetMs(HERMES) + 10_000} -d ${SERVICE}`,
      `rename ${SERVICE} ${OLD}`,
      "s6-svscanctl -a /run/service",
      `s6-svc -dx ${OLD}`,
      `wait unsupervised ${OLD}`,
      `remove ${OLD}`,
      EMPTY,
      `remove ${SCANDIR}`,
    ]);
  });

  it("waits longer than s6 does until it kills the tree", () => {
    const [stop] = steps(
      planTreeUninstall(context, { slot: running, scandir: true, find: facts.find }),
      "s6-svc -wD",
    );
    expect(stop).toMatchObject({ timeoutMs: expect.any(Number) });
    expect(stop?.do === "run" ? stop.timeoutMs : 0).toBeGreaterThan(Number(textOf("timeout-kill")));
  });

  it("does what an uninstallation that was killed left undone", () => {
    const rest = planTreeUninstall(context, { slot: undefined, scandir: true, find: facts.find });
    expect(briefly(rest)).toEqual([EMPTY, `remove ${SCANDIR}`]);
    expect(planTreeUninstall(context, { slot: undefined, scandir: false, find: facts.find }).steps).toEqual(
      [],
    );
  });

  it("removes nothing of the user's as root: every folder it deletes itself is root's or empty", () => {
    const plan = planTreeUninstall(context, { slot: running, scandir: true, find: facts.find });
    const below = plan.steps.filter((step) => step.do !== "run" && brief(step).includes(`${SCANDIR}/`));
    expect(below).toEqual([]);
    expect(treeScandir("hermes")).toBe(SCANDIR);
  });
});
