/**
 * Where a text stops being JSON. JSON.parse knows, but says so in words that differ between runtimes and versions, and
 * not always with a position.
 * https://www.rfc-editor.org/rfc/rfc8259
 */

/** The first place that is wrong in a text. */
export interface SyntaxFault {
  /** The line, from 1. */
  readonly line: number;
  /** The column, from 1, in UTF-16 units. */
  readonly column: number;
  /** What JSON would go on with. */
  readonly expected: string;
  /** What is there. */
  readonly found: string;
}

const SPACE = /[ \t\n\r]*/y;
const SCALAR = /true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
// deno-lint-ignore no-control-regex
const STRING_BUT_ITS_END = /"(?:[^"\\\u0000-\u001f]+|\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4}))*/y;

const VALUE = "a value";
const VALUE_OR_END = "a value or ']'";
const NAME = "a name in double quotes";
const NAME_OR_END = "a name in double quotes or '}'";
const COLON = "':'";
const END = "nothing more";
const AFTER_VALUE = { "}": "',' or '}'", "]": "',' or ']'" } as const;

/** Finds the first place where a text is not JSON; undefined when it is. */
export function findSyntaxFault(text: string): SyntaxFault | undefined {
  const closers: ("}" | "]")[] = [];
  let expected: string = VALUE;
  let at = 0;
  const match = (pattern: RegExp): number => {
    pattern.lastIndex = at;
    return pattern.exec(text)?.[0].length ?? 0;
  };
  const valueEnds = (): string => {
    const closer = closers.at(-1);
    return closer === undefined ? END : AFTER_VALUE[closer];
  };
  for (;;) {
    at += match(SPACE);
    const next = text[at];
    if (next === undefined) return expected === END ? undefined : faultAt(text, at, expected);
    const wantsValue = expected === VALUE || expected === VALUE_OR_END;
    const wantsName = expected === NAME || expected === NAME_OR_END;
    if (next === '"' && (wantsValue || wantsName)) {
      at += match(STRING_BUT_ITS_END);
      if (text[at] !== '"') return faultAt(text, at, "the rest of a string and its closing quote");
      at++;
      expected = wantsName ? COLON : valueEnds();
    } else if (wantsValue && (next === "{" || next === "[")) {
      at++;
      closers.push(next === "{" ? "}" : "]");
      expected = next === "{" ? NAME_OR_END : VALUE_OR_END;
    } else if (wantsValue && match(SCALAR) > 0) {
      at += match(SCALAR);
      expected = valueEnds();
    } else if (next === closers.at(-1) && expected !== VALUE && expected !== NAME && expected !== COLON) {
      at++;
      closers.pop();
      expected = valueEnds();
    } else if (next === "," && closers.length > 0 && expected === valueEnds()) {
      at++;
      expected = closers.at(-1) === "}" ? NAME : VALUE;
    } else if (next === ":" && expected === COLON) {
      at++;
      expected = VALUE;
    } else {
      return faultAt(text, at, expected);
    }
  }
}

function faultAt(text: string, at: number, expected: string): SyntaxFault {
  const lines = text.slice(0, at).split("\n");
  const found = text.codePointAt(at);
  return {
    line: lines.length,
    column: (lines.at(-1)?.length ?? 0) + 1,
    expected,
    found: found === undefined ? "the end" : JSON.stringify(String.fromCodePoint(found)),
  };
}
