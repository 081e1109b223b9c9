import type { CompletionBody } from "../responses/completion.ts";

/** One event of a completion stream: the next text of some choices, or usage alone (`choices: []`). */
export type CompletionChunk = CompletionBody;
