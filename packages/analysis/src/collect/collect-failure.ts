import { ResiduaError } from "@residua/lens";
import { z } from "zod";
import { withoutSecrets } from "./without-secrets.ts";
import { wellFormed } from "../shards/well-formed.ts";

/** Where an example was when it failed. */
const failureStages = ["plan", "chat", "sample", "grade", "capture"] as const;

export const failureSchema = z.object({
  /** Id of the example. */
  example: z.string(),
  /** Its place in the list of examples. */
  index: z.int().min(0),
  /** As the column of that name would have it; null where the example has no tokens yet. */
  contentHash: z.string().nullable(),
  stage: z.enum(failureStages),
  /** Class of the error. */
  name: z.string(),
  /** Stable code of the error; null of errors that have none. */
  code: z.string().nullable(),
  message: z.string(),
  /** ISO 8601, UTC. */
  time: z.string(),
  /** How often it was tried, over all runs; the client's own retries count as one. */
  attempts: z.int().min(1),
});
/** An example that gave no rows. */
export type CollectFailure = z.infer<typeof failureSchema>;

const longestMessage = 2000;

/** The record of a failure. The message is the error's own, without keys: a user's function may throw anything. */
export function failureOf(
  error: unknown,
  at: Pick<CollectFailure, "example" | "index" | "contentHash" | "stage"> & { attempts?: number },
): CollectFailure {
  const { example, index, contentHash, stage, attempts = 1 } = at;
  const known = error instanceof Error;
  return {
    example,
    index,
    contentHash,
    stage,
    name: known ? withoutSecrets(wellFormed(textOf(() => error.name))) : "Error",
    code: error instanceof ResiduaError ? error.code : null,
    message: withoutSecrets(wellFormed(textOf(() => (known ? error.message : error)))).slice(
      0,
      longestMessage,
    ),
    time: new Date().toISOString(),
    attempts,
  };
}

/** What is thrown may be anything, and its fields too: recording it must not fail. */
function textOf(read: () => unknown): string {
  try {
    return String(read());
  } catch {
    return "an error that has no text";
  }
}
