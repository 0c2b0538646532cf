import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it, vi } from "vitest";
import {
  GatewayNotRegisteredError,
  InvalidProfileNameError,
  PermissionError,
  ProgramNotFoundError,
  S6CommandError,
  TimeoutError,
  UsageError,
} from "../../src/errors.ts";
import { setStage, type Stage } from "./stub_stage.ts";

let stage: Stage;
beforeEach(() => {
  stage = setStage();
});

const slotOf = (profile: string): string => join(stage.scandir, `gateway-${profile}`);

describe.each(["start", "stop", "restart"] as const)("%s", (verb) => {
  it("refuses a profile without a slot before any program of s6 is run", async () => {
    const failing = stage.manager[verb]("coder");
    await expect(failing).rejects.toBeInstanceOf(GatewayNotRegisteredError);
    await expect(failing).rejects.toMatchObject({
      message: `Cannot ${verb} "coder": no gateway of that name is registered.`,
      profile: "coder",
      code: "gateway-not-registered",
      exitCode: 5,
    });
    expect(stage.calls()).toEqual([]);
  });

  it("says so even where s6 is not installed", async () => {
    vi.stubEnv("PATH", stage.volume);
    await expect(stage.manager[verb]("coder")).rejects.toBeInstanceOf(GatewayNotRegisteredError);
  });

  it("tells to register a profile that is there, and to create one that is not", async () => {
    stage.addProfile("coder");
    await expect(stage.manager[verb]("coder")).rejects.toMatchObject({
      hint: "The profile is there. Register it with: gatewarden register coder",
    });
    await expect(stage.manager[verb]("default")).rejects.toMatchObject({
      hint: "The profile is there. Register it with: gatewarden register default",
    });
    await expect(stage.manager[verb]("nobody")).rejects.toMatchObject({
      hint: `There is no profile of that name either (no folder ${join(stage.volume, "profiles/nobody")}). ` +
        "Create it, then run: gatewarden register nobody",
    });
  });

  it("takes no file, link or folder of another name for its slot", async () => {
    writeFileSync(slotOf("coder"), "");
    mkdirSync(join(stage.scandir, "coder"));
    await expect(stage.manager[verb]("coder")).rejects.toBeInstanceOf(GatewayNotRegisteredError);
  });

  it("refuses a name that breaks the rules, and a scandir that is not there", async () => {
    await expect(stage.manager[verb]("../coder")).rejects.toBeInstanceOf(InvalidProfileNameError);
    rmSync(stage.scandir, { recursive: true });
    await expect(stage.manager[verb]("coder")).rejects.toBeInstanceOf(UsageError);
  });

  it("fails with a typed error where s6 is gone", async () => {
    stage.addSlot("coder");
    vi.stubEnv("PATH", stage.volume);
    await expect(stage.manager[verb]("coder")).rejects.toBeInstanceOf(ProgramNotFoundError);
  });

  it("fails with what s6-svc said, for which service, and with which exit code", async () => {
    stage.addSlot("coder");
    stage.answer("s6-svc", 111);
    const failing = stage.manager[verb]("coder");
    await expect(failing).rejects.toBeInstanceOf(S6CommandError);
    await expect(failing).rejects.toMatchObject({
      service: "gateway-coder",
      action: verb,
      commandExitCode: 111,
      exitCode: 1,
    });
  });

  it("fails for want of permission where the caller may not control the service", async () => {
    stage.addSlot("coder");
    stage.answer("s6-svc", 111);
    // Like a FIFO that may not be written to, a folder cannot be opened for writing.
    rmSync(join(slotOf("coder"), "supervise/control"));
    mkdirSync(join(slotOf("coder"), "supervise/control"));
    const failing = stage.manager[verb]("coder");
    await expect(failing).rejects.toBeInstanceOf(PermissionError);
    await expect(failing).rejects.toMatchObject({
      exitCode: 4,
      hint: "Run it as root, as the user the scandir belongs to, or as a member of its group.",
      cause: expect.any(S6CommandError),
    });
    stage.answer("s6-svc", 100);
    await expect(stage.manager[verb]("coder")).rejects.toBeInstanceOf(S6CommandError);
  });

  it.each([100, 102])(
    "says that nothing supervises the service, and what to do: exit code %i",
    async (code) => {
      stage.addSlot("coder");
      stage.answer("s6-svc", code);
      await expect(stage.manager[verb]("coder")).rejects.toMatchObject({
        code: "s6-command",
        hint: `No s6-supervise runs on ${slotOf("coder")}. Is an s6-svscan running on ${stage.scandir}? ` +
          `It looks again on: s6-svscanctl -a ${stage.scandir}`,
      });
    },
  );

  it("names the time limit that was reached, the caller's if there is one", async () => {
    stage.addSlot("coder");
    stage.answer("s6-svc", 99);
    const late = stage.manager[verb]("coder", { timeoutMs: 1500 });
    await expect(late).rejects.toBeInstanceOf(TimeoutError);
    await expect(late).rejects.toMatchObject({
      message: expect.stringContaining(`Cannot ${verb} gateway-coder within 1.5 s: the gateway `),
      hint: "Give it more time with --timeout SECONDS.",
    });
  });
});
