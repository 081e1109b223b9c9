import type { Model } from "../catalogue/model.ts";
import type { SampleManyOptions, SampleProgress } from "./sample-many-types.ts";

/** What a key may do at once, and in a minute. */
export interface ServerLimits {
  cap: number;
  source: SampleProgress["concurrency"]["source"];
  ratePerMinute: number | undefined;
}

/** Requests in flight where neither the catalogue nor the caller says. The hosted API takes so many of a key. */
const defaultCap = 16;

/**
 * The catalogue's caps with the caller's wishes below them. The caps are a key's, so of several models the least counts. A
 * catalogue that cannot be read says nothing: the requests will show what the matter is.
 */
export async function serverLimits(
  listModels: () => Promise<Model[]>,
  { concurrency, ratePerMinute }: Pick<SampleManyOptions, "concurrency" | "ratePerMinute">,
): Promise<ServerLimits> {
  const models = await listModels().catch(() => []);
  const inFlight = least(models, "max_inflight_per_key");
  const rate = least(models, "rate_limit_per_minute");
  const cap = Math.min(
    concurrency ?? Infinity,
    inFlight ?? (concurrency === undefined ? defaultCap : Infinity),
  );
  return {
    cap,
    source: cap === concurrency ? "option" : inFlight === undefined ? "default" : "catalogue",
    ratePerMinute: ratePerMinute ?? rate,
  };
}

function least(models: readonly Model[], name: string): number | undefined {
  const stated = models
    .map(({ capabilities }) => (capabilities as Record<string, unknown> | null | undefined)?.[name])
    .filter((value): value is number => Number.isInteger(value) && (value as number) > 0);
  return stated.length > 0 ? Math.min(...stated) : undefined;
}
