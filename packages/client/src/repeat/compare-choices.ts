import type { Choice } from "../responses/completion.ts";
import { readLogprobs, type TokenReading } from "../responses/read-logprobs.ts";
import { type Spread, spreadOf } from "./spread.ts";

/** One position at which all runs have the same tokens up to here and the same token here. */
export interface RepeatedPosition {
  position: number;
  token: string;
  /** Of the token's log probability; undefined for the first token of an echoed prompt. */
  logprob: Spread | undefined;
  /** See `RepeatedChoice.divergence`. */
  margin: number | undefined;
}

/** Where runs of one choice part; see `RepeatedChoice.divergence`. */
export interface RepeatDivergence {
  position: number;
  /** The tokens that came and how often; undefined stands for a run that had ended. */
  tokens: { token: string | undefined; count: number }[];
  margin: number | undefined;
}

/** What one choice was in each run. */
export interface RepeatedChoice {
  index: number;
  /** Each text that came and how often, the most frequent first. */
  texts: { text: string; count: number }[];
  /** The positions before the runs part. Positions after that follow different texts and are not compared. */
  positions: RepeatedPosition[];
  /**
   * The greatest max − min of a log probability over these positions: a difference no larger than this is no difference.
   * Undefined without log probabilities.
   */
  noise: number | undefined;
  /**
   * Where the runs part, first. `margin` is how much likelier the likeliest token was than the next there, at the least
   * of the runs; undefined when fewer than two were listed. At temperature 0 a near-tie (a margin about as small as the
   * noise) is what batching moves; a wide one has another cause. Undefined when all runs have the same tokens.
   */
  divergence: RepeatDivergence | undefined;
}

/**
 * Compares one choice over several runs. Positions are those of the answer's own tokens (with `echo` the prompt's are the
 * first). Without log probabilities the texts alone are compared, and a difference between them has no position.
 */
export function compareChoices(runs: readonly Choice[]): RepeatedChoice {
  const texts = tally(runs.map(({ text }) => text)).map(([text, count]) => ({ text, count }));
  const read = runs.map((choice) => readLogprobs(choice));
  const readings = read.filter((reading) => reading !== undefined);
  const result = { index: runs[0]?.index ?? 0, texts };
  if (readings.length < runs.length)
    return { ...result, positions: [], noise: undefined, divergence: undefined };

  const positions: RepeatedPosition[] = [];
  const longest = Math.max(0, ...readings.map(({ length }) => length));
  for (let position = 0; position < longest; position++) {
    const here = readings.map((reading) => reading[position]);
    const names = tally(here.map((token) => token && nameOf(token)));
    const [first] = here;
    if (names.length > 1 || first === undefined) {
      const tokens = names.map(([name, count]) => {
        const like = here.find((token) => token && nameOf(token) === name);
        return { token: like?.token, count };
      });
      return {
        ...result,
        positions,
        noise: noiseOf(positions),
        divergence: { position, tokens, margin: margin(here) },
      };
    }
    const logprobs = here.flatMap((token) => token?.logprob ?? []);
    positions.push({ position, token: first.token, logprob: spreadOf(logprobs), margin: margin(here) });
  }
  return { ...result, positions, noise: noiseOf(positions), divergence: undefined };
}

/** By id where it is told, since tokens of one text may be several. */
function nameOf({ id, token }: TokenReading): string {
  return id === undefined ? `text ${token}` : `id ${id}`;
}

/** The least lead of the likeliest token over the next. */
function margin(here: readonly (TokenReading | undefined)[]): number | undefined {
  const leads = here.flatMap((reading) => {
    const [first, second] = reading?.top ?? [];
    return first && second ? [first.logprob - second.logprob] : [];
  });
  return leads.length > 0 ? Math.min(...leads) : undefined;
}

function noiseOf(positions: readonly RepeatedPosition[]): number | undefined {
  const widths = positions.flatMap(({ logprob }) => (logprob ? [logprob.max - logprob.min] : []));
  return widths.length > 0 ? widths.reduce((a, b) => Math.max(a, b)) : undefined;
}

/** Each value and how often it is there, the most frequent first. */
function tally<T>(values: readonly T[]): [T, number][] {
  const counts = new Map<T, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a);
}
