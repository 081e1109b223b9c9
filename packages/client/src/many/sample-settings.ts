import type { RequestOptions } from "../client-types.ts";
import { ResiduaError } from "../residua-error.ts";
import type { JournalOptions, ManyRequests, SampleManyOptions } from "./sample-many-types.ts";

/** The options of a run, checked, with their defaults. */
export interface SampleSettings {
  ordered: boolean;
  window: number | undefined;
  longestWait: number;
  total: number | undefined;
  journal: JournalOptions | undefined;
  /** Requests in a pack at most; undefined: none are packed. */
  packed: number | undefined;
  /** For each request. */
  each: Omit<RequestOptions, "signal">;
}

/** Throws ResiduaError `invalid_option` before anything is read or sent. */
export function readSampleOptions(
  requests: ManyRequests<unknown>,
  options: SampleManyOptions,
): SampleSettings {
  const { concurrency, ratePerMinute, window, total, seed, pack, longestWait = 900_000 } = options;
  if (
    typeof requests !== "object" ||
    (requests as unknown) === null ||
    !(Symbol.iterator in requests || Symbol.asyncIterator in requests)
  ) {
    throw new ResiduaError(
      "invalid_option",
      `requests: ${typeof requests} given; allowed: an array, an iterable or an async iterable of requests`,
    );
  }
  whole({ concurrency, ratePerMinute, window }, 1);
  whole({ total, seed, longestWait }, 0);
  if (typeof pack === "number") whole({ pack }, 1);
  const journal = typeof options.journal === "string" ? { path: options.journal } : options.journal;
  if (journal !== undefined && journal.path === "")
    throw new ResiduaError("invalid_option", 'journal: "" given; allowed: the path of a file');
  const { timeout, maxRetries, headers } = options;
  return {
    ordered: options.ordered ?? false,
    window,
    longestWait,
    total,
    journal,
    packed: pack === true ? Infinity : pack === false ? undefined : pack,
    each: {
      ...(timeout !== undefined && { timeout }),
      ...(maxRetries !== undefined && { maxRetries }),
      ...(headers !== undefined && { headers }),
    },
  };
}

function whole(values: Readonly<Record<string, number | undefined>>, least: number): void {
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined || (Number.isSafeInteger(value) && value >= least)) continue;
    throw new ResiduaError(
      "invalid_option",
      `${name}: ${String(value)} given; allowed: a whole number from ${least}`,
    );
  }
}
