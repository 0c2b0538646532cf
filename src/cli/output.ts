/** The only file that prints: results to standard output, everything else to standard error. */
import { styleText } from "node:util";
import { type ErrorReport, reportOf } from "./exit_codes.ts";

/** A stream that is written to. */
export interface Stream {
  readonly isTTY?: boolean;
  write(chunk: string | Uint8Array): unknown;
  on?(event: "error", listener: (error: Error) => void): unknown;
}

/** Where output goes. */
export interface Streams {
  readonly stdout: Stream;
  readonly stderr: Stream;
}

/** How output looks. */
export interface OutputOptions {
  /** Results are one JSON document, and errors are JSON. */
  readonly json?: boolean;
  /** Only results that were asked for, warnings and errors. */
  readonly quiet?: boolean;
  /** Whether colour may be used, on a terminal. */
  readonly color?: boolean;
  /** Whether stack traces and steps are shown. */
  readonly debug?: boolean;
}

/** The colours that mean something. */
export type Style = "green" | "yellow" | "red" | "dim" | "bold";

/** Prints what a verb came to. */
export interface Output {
  readonly json: boolean;
  /** Ends when nobody reads the results any more: the other end of the pipe is closed. */
  readonly closed: AbortSignal;
  /** A result, as it is. */
  print(text: string | Uint8Array): void;
  /** A result as the one JSON document of this call. */
  printJson(value: unknown): void;
  /** A result that only says that it was done, on a line; not with --quiet or --json. */
  say(line: string): void;
  /** A result that says why there is none; to standard error, not with --quiet or --json. */
  note(line: string): void;
  /** Something that went wrong although the verb succeeded; not with --json, whose document names it. */
  warn(line: string): void;
  /** What was thrown; `profile` is added to the JSON. Gives back what it said. */
  fail(error: unknown, profile?: string): ErrorReport;
  /** Something for whoever looks for a fault; only with GATEWARDEN_DEBUG. */
  debug(line: string): void;
  /** Colours a result. */
  style(style: Style, text: string): string;
}

/** Makes the output of one call. */
export function createOutput(streams: Streams, options: OutputOptions = {}): Output {
  const { json = false, quiet = false, color = true, debug = false } = options;
  const closed = new AbortController();
  streams.stdout.on?.("error", () => closed.abort());
  // Nobody is left to be told.
  streams.stderr.on?.("error", () => {});
  const print = (text: string | Uint8Array): void => {
    if (!closed.signal.aborted) streams.stdout.write(text);
  };
  const tell = (text: string): void => void streams.stderr.write(`${text}\n`);
  const paint = (stream: Stream, style: Style, text: string): string =>
    color && stream.isTTY === true ? styleText(style, text, { validateStream: false }) : text;
  return {
    json,
    closed: closed.signal,
    print,
    printJson: (value) => print(`${JSON.stringify(value, null, 2)}\n`),
    say: (line) => {
      if (!quiet && !json) print(`${line}\n`);
    },
    note: (line) => {
      if (!quiet && !json) tell(line);
    },
    warn: (line) => {
      if (!json) tell(`${paint(streams.stderr, "yellow", "gatewarden: warning:")} ${line}`);
    },
    fail: (error, profile) => {
      const report = reportOf(error);
      const { code, message, hint } = report;
      if (json) {
        tell(
          JSON.stringify({ error: { code, message, hint, ...(profile === undefined ? {} : { profile }) } }),
        );
      } else {
        tell(`${paint(streams.stderr, "red", "gatewarden:")} ${message}`);
        if (hint !== "") tell(hint);
      }
      if (debug) tell(traceOf(error));
      return report;
    },
    debug: (line) => {
      if (debug) tell(line);
    },
    style: (style, text) => paint(streams.stdout, style, text),
  };
}

/** The stack of an error and of all that led to it. */
function traceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? "" : `\ncaused by ${traceOf(error.cause)}`;
  return (error.stack ?? error.message) + cause;
}
