/** Arguments as people type them -> as the parser wants them. */

/** The flags that take a value and may stand before the verb. */
const TAKES_VALUE: ReadonlySet<string> = new Set(["--manager", "--scandir", "--config"]);

/**
 * Puts flags that stand before the verb behind it, `help VERB` as `VERB --help`, and a number that is glued to its
 * flag (`-n20`) apart.
 */
export function arrange(argv: readonly string[]): string[] {
  if (argv[0] === "help") return [...argv.slice(1), "--help"];
  let verbAt = 0;
  while (argv[verbAt]?.startsWith("-")) verbAt += TAKES_VALUE.has(argv[verbAt] ?? "") ? 2 : 1;
  const verb = verbOf(argv.slice(verbAt));
  if (verb.length === 0) return [...argv];
  const rest = argv.slice(verbAt + verb.length);
  const end = rest.indexOf("--");
  const flags = end === -1 ? rest : rest.slice(0, end);
  return [...verb, ...argv.slice(0, verbAt), ...flags.flatMap(splitNumber), ...rest.slice(flags.length)];
}

/** The words of the verb that arguments begin with: `start`, `tree install`. */
export function verbOf(argv: readonly string[]): string[] {
  const [verb, inner = "-"] = argv;
  return verb === undefined ? [] : verb !== "tree" || inner.startsWith("-") ? [verb] : [verb, inner];
}

function splitNumber(argument: string): string[] {
  const [, name, number] = /^(-[A-Za-z])(\d+)$/.exec(argument) ?? [];
  return name === undefined || number === undefined ? [argument] : [name, number];
}
