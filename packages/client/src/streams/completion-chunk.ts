import * as z from "zod";
import { choiceSchema, usageSchema } from "../responses/completion.ts";

/** One event of a completion stream: the next text of some choices, or usage alone. */
export const completionChunkSchema = z.looseObject({
  id: z.string(),
  object: z.string().optional(),
  created: z.number().optional(),
  model: z.string(),
  choices: z.array(choiceSchema).default([]),
  usage: usageSchema.nullish(),
});

export type CompletionChunk = z.output<typeof completionChunkSchema>;
