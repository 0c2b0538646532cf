import { chmodSync, chownSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { beforeEach, describe, expect, it } from "vitest";
import { isReachedThroughNoLink, withoutOwnLinks } from "../../src/host/real_folder.ts";
import { needsRoot, NOBODY } from "../root.ts";
import { temporaryFolder } from "../temporary_folder.ts";

let folder: string;
const at = (name: string): string => join(folder, name);

beforeEach(() => {
  folder = temporaryFolder();
  mkdirSync(at("data"));
  mkdirSync(at("opt"));
  symlinkSync("../data", at("opt/data"));
  symlinkSync("opt", at("way"));
});

describe("withoutOwnLinks", () => {
  it.each(["opt/data", "opt/data/", "opt/../opt//data", "way/data", "data"])(
    "follows the links that the caller or root has set: %s",
    (path) => {
      expect(withoutOwnLinks(`${folder}/${path}`)).toBe(at("data"));
    },
  );

  it("gives a path as it is when nothing is there, but for slashes and dots", () => {
    expect(withoutOwnLinks(`${folder}/none//x/../y/`)).toBe(at("none/y"));
    expect(withoutOwnLinks("/")).toBe("/");
    expect(withoutOwnLinks(".")).toBe(process.cwd());
  });

  it.for(["opt", "."])("follows none when another user owns %s, and could have set it", (name, { skip }) => {
    needsRoot(skip, "to give a folder to another user");
    chownSync(at(name), NOBODY, NOBODY);
    expect(withoutOwnLinks(at("opt/data"))).toBe(at("opt/data"));
  });

  it.each<[string, number]>([["opt", 0o775], ["opt", 0o757], ["opt", 0o1777], [".", 0o777]])(
    "follows none when others can write to %s (%o), and could have set it",
    (name, mode) => {
      chmodSync(at(name), mode);
      expect(withoutOwnLinks(at("opt/data"))).toBe(at("opt/data"));
    },
  );

  it("follows one below a sticky folder, where others can move only what is theirs", () => {
    chmodSync(folder, 0o1777);
    expect(withoutOwnLinks(at("opt/data"))).toBe(at("data"));
  });
});

describe("isReachedThroughNoLink", () => {
  it("tells a folder from one behind a link, and from none", () => {
    mkdirSync(at("data/profiles"));
    expect(isReachedThroughNoLink(at("data/profiles"))).toBe(true);
    expect(isReachedThroughNoLink(at("opt/data"))).toBe(false);
    expect(isReachedThroughNoLink(at("opt/data/profiles"))).toBe(false);
    expect(isReachedThroughNoLink(at("none"))).toBe(false);
  });
});
