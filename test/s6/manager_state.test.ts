/** What is desired, on a real file system: who says so, and through which folders it is reached. */
import { readFileSync, realpathSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { Desired } from "../../src/manager.ts";
import { setStage, type Stage } from "./stub_stage.ts";

let stage: Stage;
let profile: string;
const state = (): string => join(profile, "gateway_state.json");
const desired = async (): Promise<Desired | null> => (await stage.manager.status("coder")).desired;

beforeEach(() => {
  stage = setStage();
  profile = stage.addProfile("coder");
});

describe("the desired state of an old install", () => {
  it.each([
    ['{"desired_state":"stopped","gateway_state":"running"}', "stopped"],
    ['{"gateway_state":"draining"}', "running"],
    ['{"gateway_state":"degraded"}', "running"],
    ["nothing that is JSON", null],
  ])("is what its own file says: %s", async (text, expected) => {
    writeFileSync(state(), text);
    expect(await desired()).toBe(expected);
  });

  it("counts no more once Gatewarden has recorded one", async () => {
    writeFileSync(state(), '{"desired_state":"running"}');
    writeFileSync(join(profile, ".gatewarden.json"), '{"desired":"stopped"}');
    expect(await desired()).toBe("stopped");
  });

  it.each<["stop" | "start" | "restart", Desired]>([["stop", "stopped"], ["start", "running"], [
    "restart",
    "running",
  ]])(
    "is kept in step by %s, and nothing else in the file is touched",
    async (verb, now) => {
      stage.addSlot("coder", verb === "start" ? "down-by-svc" : "up");
      writeFileSync(state(), '{"pid": 7, "desired_state": "?", "gateway_state": "degraded"}\n');
      expect(await stage.manager[verb]("coder")).toEqual({ warnings: [] });
      expect(readFileSync(state(), "utf8")).toBe(
        `{"pid": 7, "desired_state": "${now}", "gateway_state": "degraded"}\n`,
      );
      expect(stage.readVolume("profiles/coder/.gatewarden.json")).toMatchObject({ desired: now });
    },
  );

  it("gets no such file where it had none", async () => {
    stage.addSlot("coder");
    await stage.manager.stop("coder");
    expect(stage.readVolume("profiles/coder/gateway_state.json")).toBeUndefined();
  });
});

describe("a volume behind a link", () => {
  it("that only root or the caller can have set is where the link leads", async () => {
    stage.addSlot("coder");
    symlinkSync(stage.volume, `${stage.volume} link`);
    vi.stubEnv("HERMES_HOME", `${stage.volume} link/`);
    const { steps } = await stage.manager.plan("stop", "coder");
    expect(steps.flatMap((step) => step.do === "replace" ? [step.path] : [])).toEqual(
      [".gateway-planned-stop.json", ".gatewarden.json"].map((name) => join(realpathSync(profile), name)),
    );
    await stage.manager.stop("coder");
    expect(await desired()).toBe("stopped");
  });
});

describe("a folder of profiles behind a link", () => {
  it("is neither read nor written: whoever can write to the volume may have set it", async () => {
    stage.addSlot("coder");
    writeFileSync(state(), '{"desired_state":"running"}');
    renameSync(join(stage.volume, "profiles"), join(stage.volume, "elsewhere"));
    symlinkSync("elsewhere", join(stage.volume, "profiles"));
    expect(await desired()).toBeNull();
    const { warnings } = await stage.manager.stop("coder");
    expect(warnings).toHaveLength(3);
    for (const warning of warnings) {
      expect(warning).toContain(
        `${profile} leads through a link, to ${join(stage.volume, "elsewhere/coder")}.`,
      );
    }
    expect(stage.readVolume("elsewhere/coder/.gatewarden.json")).toBeUndefined();
    expect(stage.readVolume("elsewhere/coder/gateway_state.json")).toEqual({ desired_state: "running" });
  });
});
