import type { RequestOptions } from "../client-types.ts";
import { checkOptions, requestOptionsOf, sampleOptionRules } from "../option-rules.ts";
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
  checkOptions(options, sampleOptionRules);
  const { ordered = false, window, longestWait = 900_000, total, pack = false } = options;
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
  const journal = typeof options.journal === "string" ? { path: options.journal } : options.journal;
  const { signal: _, ...each } = requestOptionsOf(options);
  return {
    ordered,
    window,
    longestWait,
    total,
    journal,
    packed: pack === true ? Infinity : pack === false ? undefined : pack,
    each,
  };
}
