import * as z from "zod";
import { checkCompletion } from "../responses/check-completion.ts";
import type { CompletionBody } from "../responses/completion.ts";

/** The first line of a journal. */
export const headerSchema = z.looseObject({
  residua_journal: z.literal(1),
  profile: z.string(),
  /** Base URL. */
  server: z.string(),
  created: z.string(),
});

export type JournalHeader = z.output<typeof headerSchema>;

/** What is kept of a failure. `final`: asking again would fail in the same way, so a later run does not. */
const errorSchema = z.looseObject({
  code: z.string(),
  message: z.string(),
  status: z.int().optional(),
  final: z.boolean(),
});

const packedSchema = z.strictObject({ requests: z.int(), usage: z.enum(["exact", "estimated"]) });

/** One outcome. `key` is the request's hash, a dot, and how many equal requests stand before it in the list. */
export const lineSchema = z.looseObject({
  index: z.int().nonnegative(),
  key: z.string().regex(/^[0-9a-f]{32}\.\d+$/),
  completion: z.custom<CompletionBody>((value) => checkCompletion(value) === undefined).optional(),
  error: errorSchema.optional(),
  packed: packedSchema.optional(),
});

/** The part of a line that says which it is; the rest is read when it is asked for. */
export const lineHeadSchema = z.looseObject({
  index: z.int().nonnegative(),
  key: z.string().regex(/^[0-9a-f]{32}\.\d+$/),
  completion: z.looseObject({}).optional(),
  error: errorSchema.optional(),
});
