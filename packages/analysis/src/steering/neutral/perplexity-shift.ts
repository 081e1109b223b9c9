import type { SteeredScale } from "../../results/steering-evaluation.ts";
import { clusterBootstrap } from "../../statistics/intervals/cluster-bootstrap.ts";
import { createRandom } from "../../statistics/random.ts";
import { perplexity, type TextLogProbability } from "./perplexity.ts";

/** Perplexity of the neutral texts beside its value at scale 0; null without a token. Whole texts are redrawn for the interval of the ratio. */
export function perplexityShift(
  { draws, seed }: { draws: number; seed: number },
  texts: readonly TextLogProbability[],
  before: readonly TextLogProbability[],
): SteeredScale["perplexity"] {
  const value = perplexity(texts);
  const base = perplexity(before);
  if (value === null || base === null) return null;
  const { low, high } = clusterBootstrap(
    { groups: texts.length, draws, random: createRandom(seed, "neutral bootstrap") },
    (times) => {
      const tokens = texts.reduce((sum, text, i) => sum + times[i]! * text.tokens, 0);
      const nats = texts.reduce((sum, text, i) => sum + times[i]! * (before[i]!.sum - text.sum), 0);
      return tokens === 0 ? null : Math.exp(Math.min(nats / tokens, 700));
    },
  );
  const tokens = texts.reduce((sum, text) => sum + text.tokens, 0);
  return { value, ratio: value / base, ratioLow: low, ratioHigh: high, tokens };
}
