import { describe, expect, it } from "vitest";
import { envdirCommand, envdirText } from "../../src/s6/envdir.ts";

describe("envdirText", () => {
  it("ends with one newline of its own, so that no value is the empty file, which would unset it", () => {
    expect(envdirText("")).toBe("\n");
    expect(envdirText("a")).toBe("a\n");
    expect(envdirText("a\n\n")).toBe("a\n\n\n");
  });
});

describe("envdirCommand", () => {
  it.each([
    ["a value of one line", "x", "s6-envdir -f "],
    ["a value of 4094 bytes", "x".repeat(4094), "s6-envdir -f "],
    ["a value of 4095 bytes", "x".repeat(4095), "s6-envdir -fL "],
    ["a value of few characters and many bytes", "é".repeat(2048), "s6-envdir -fL "],
  ])("asks for no more than it needs, with %s", (_, value, start) => {
    expect(envdirCommand([["SHORT", ""], ["A", value]])).toBe(`${start}"$1"`);
  });
});
