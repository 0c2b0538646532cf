import { describe, expect, it } from "vitest";
import { arrange } from "../../src/cli/arrange.ts";

describe("arrange", () => {
  it.each([
    ["", ""],
    ["status", "status"],
    ["status --json a", "status --json a"],
    ["--json status a", "status --json a"],
    ["--scandir /x -q --manager s6 status a", "status --scandir /x -q --manager s6 a"],
    ["--scandir=/x status", "status --scandir=/x"],
    ["--config", "--config"],
    ["--json", "--json"],
    ["--help start", "start --help"],
    ["help", "--help"],
    ["help start", "start --help"],
    ["tree install --json", "tree install --json"],
    ["--scandir /x --json tree status -q", "tree status --scandir /x --json -q"],
    ["tree --help", "tree --help"],
    ["--help tree", "tree --help"],
    ["help tree run", "tree run --help"],
    ["logs -n20 a", "logs -n 20 a"],
    ["logs -n 20 a", "logs -n 20 a"],
    ["start -- -n20", "start -- -n20"],
    ["register a --env=A=-n20", "register a --env=A=-n20"],
  ])("turns %j into %j", (given, arranged) => {
    const words = (text: string): string[] => text.split(" ").filter((word) => word !== "");
    expect(arrange(words(given))).toEqual(words(arranged));
  });
});
