import { z } from "zod";
import { checkOptions } from "../../options/check-options.ts";
import type { SteeringScorer } from "./steering-scorer.ts";

const optionsSchema = z.strictObject({
  name: z.string().min(1).default("pattern"),
  pattern: z.union([z.instanceof(RegExp, { error: "a regular expression" }), z.string().min(1)]),
});

/**
 * 1 where the text matches, else 0. A text as `pattern` is looked for as it is, in any case. Cheap and blind to sense: put a judge
 * beside it. Throws InvalidRequestError.
 */
export function patternScorer(options: { name?: string; pattern: RegExp | string }): SteeringScorer {
  const { name, pattern } = checkOptions(optionsSchema, options, "patternScorer");
  const has =
    typeof pattern === "string"
      ? (text: string) => text.toLowerCase().includes(pattern.toLowerCase())
      : // A global or sticky expression would go on where the text before ended.
        (text: string) => new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, "")).test(text);
  return {
    name,
    kind: "pattern",
    method: `1 where the text has ${typeof pattern === "string" ? JSON.stringify(pattern) : String(pattern)}`,
    score: ({ text }) => Promise.resolve(has(text) ? 1 : 0),
  };
}
