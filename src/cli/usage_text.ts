/** What the parser says, in our words. */
import { type ApplicationText, formatMessageForArgumentScannerError, text_en } from "@stricli/core";

type ScannerError = Parameters<typeof formatMessageForArgumentScannerError>[0];

/** The parser's texts. Errors come without "Cannot ...", which `main.ts` puts before them. */
export const USAGE_TEXT: ApplicationText = {
  ...text_en,
  briefs: { ...text_en.briefs, argumentEscapeSequence: "All that follows are arguments" },
  noCommandRegisteredForInput: ({ input, corrections }) =>
    `there is no command ${JSON.stringify(input)}${guess(corrections.map((one) => one.replaceAll("`", "")))}`,
  exceptionWhileParsingArguments: (error) =>
    formatMessageForArgumentScannerError(error as ScannerError, {
      FlagNotFoundError: ({ input, corrections }) =>
        `there is no flag --${input}${guess(corrections.map((one) => `--${one}`))}`,
      AliasNotFoundError: ({ input }) => `there is no flag -${input}`,
      ArgumentParseError: ({ exception }) =>
        exception instanceof Error ? exception.message : String(exception),
      EnumValidationError: ({ externalFlagName, input, values }) =>
        `--${externalFlagName} is one of ${values.join(", ")}, not ${JSON.stringify(input)}`,
      UnsatisfiedFlagError: ({ externalFlagName }) => `--${externalFlagName} needs a value`,
      UnexpectedFlagError: ({ externalFlagName }) => `--${externalFlagName} is given twice`,
      UnexpectedPositionalError: ({ input }) => `${JSON.stringify(input)} is one argument too many`,
      UnsatisfiedPositionalError: ({ placeholder }) => `${placeholder} is missing`,
    }),
};

function guess(corrections: readonly string[]): string {
  return corrections.length === 0 ? "" : `; did you mean ${corrections.join(" or ")}?`;
}
