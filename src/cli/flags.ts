/** The flags that several verbs share, as the parser and the help want them. */
import type { TypedFlagParameter } from "@stricli/core";
