/** Setting fields of a JSON object as text: all that is not set stays as it is written, to the byte. */
import { findSyntaxFault } from "./json_syntax.ts";

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]:,]|[^\s{}[\]:,"]+/g;

/** A member of the outermost object: its name, and where its value starts and ends. */
interface Member {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/**
 * A JSON object with other values for some of its fields; those it does not have are added at its end.
 *
 * @returns The text, the same one when it says so already; undefined when it holds no JSON object.
 */
export function withFields(text: string, fields: Readonly<Record<string, string>>): string | undefined {
  if (findSyntaxFault(text) !== undefined || !text.trimStart().startsWith("{")) return undefined;
  return Object.entries(fields).reduce((before, [name, value]) => withField(before, name, value), text);
}

function withField(text: string, name: string, value: string): string {
  const members = membersOf(text);
  // Of two of a name, readers take the last.
  const member = members.findLast((one) => one.name === name);
  const json = JSON.stringify(value);
  if (member !== undefined) {
    const isSo = JSON.parse(text.slice(member.start, member.end)) === value;
    return isSo ? text : text.slice(0, member.start) + json + text.slice(member.end);
  }
  const end = members.at(-1)?.end ?? text.indexOf("{") + 1;
  const comma = members.length === 0 ? "" : ", ";
  return `${text.slice(0, end)}${comma}${JSON.stringify(name)}: ${json}${text.slice(end)}`;
}

/** The members of the object that a text holds. The text is known to be JSON. */
function membersOf(text: string): Member[] {
  const members: Member[] = [];
  let depth = 0;
  let name: string | undefined;
  let start: number | undefined;
  let end = 0;
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (token === "}" || token === "]") depth--;
    const closes = depth === 0 && token === "}" || depth === 1 && token === ",";
    if (closes && name !== undefined && start !== undefined) {
      members.push({ name, start, end });
      name = start = undefined;
    } else if (!closes && depth === 1 && name === undefined) {
      name = JSON.parse(token);
    } else if (!(depth === 1 && token === ":")) {
      if (name !== undefined) start ??= index;
    }
    if (token === "{" || token === "[") depth++;
    end = index + token.length;
  }
  return members;
}
