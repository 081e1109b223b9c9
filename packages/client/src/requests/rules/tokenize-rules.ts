import { sources } from "../fields/sources.ts";
import { exclusion } from "./shared-rules.ts";

/** A message cannot be gone on with and answered at once. */
export const generationPromptRule = exclusion(
  {
    name: "one_way_to_end",
    formula: "continue_final_message with add_generation_prompt",
    allows: "one of the two",
    source: sources.tokenize,
    field: "continue_final_message",
    hint: "set add_generation_prompt: false",
  },
  ({ request }) => request.continue_final_message === true && request.add_generation_prompt === true,
);
