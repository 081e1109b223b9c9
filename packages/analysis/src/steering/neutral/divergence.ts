import { logSumExp, type TokenDistribution } from "./token-distribution.ts";

/** Less than this the unnamed tokens never hold: what rounding leaves of 1 − Σ p is no probability. */
const leastRest = 1e-6;

/** Whether both hold the whole vocabulary, so that what is computed of them is exact. */
export function areWhole(one: TokenDistribution, other: TokenDistribution): boolean {
  return one.ids === null && other.ids === null && one.logprobs.length === other.logprobs.length;
}

/**
 * KL(one ‖ other) = Σ p (log p − log q), in nats: exact of whole vocabularies, which are normalised first, so that rounding makes no divergence
 * negative. Of the likeliest tokens alone a lower bound: merging tokens never raises a divergence (the log-sum inequality), and a token
 * that the other does not name is at most as likely there as the least of its likeliest.
 */
export function klDivergence(one: TokenDistribution, other: TokenDistribution): number {
  if (areWhole(one, other)) {
    const [p, q] = [normalised(one.logprobs), normalised(other.logprobs)];
    return Math.max(
      0,
      p.reduce((sum, logprob, i) => sum + term(Math.exp(logprob), logprob - q[i]!), 0),
    );
  }
  const { both, onlyOne, onlyOther } = named(one, other);
  const shared = both.reduce((sum, [p, q]) => sum + term(Math.exp(p), p - q), 0);
  const rest = { one: restOf(both.map(([p]) => p)), other: restOf(both.map(([, q]) => q)) };
  const apart = {
    // Named by the first alone: its share is known, that of the other has a ceiling.
    one: withCeiling(total(onlyOne), rest.one, {
      rest: rest.other,
      ceiling: onlyOne.length * Math.exp(other.ceiling),
    }),
    other: underCeiling(total(onlyOther), rest.other, {
      rest: rest.one,
      ceiling: onlyOther.length * Math.exp(one.ceiling),
    }),
  };
  return Math.max(0, shared + Math.max(apart.one, apart.other));
}

/** −Σ p log p in nats, of the named tokens and one rest; of a whole vocabulary it is exact, of the likeliest alone at most the true one. */
export function entropy({ ids, logprobs }: TokenDistribution): number {
  const outcomes = ids === null ? normalised(logprobs) : [...logprobs, Math.log(restOf(logprobs))];
  return outcomes.reduce((sum, logprob) => sum - term(Math.exp(logprob), logprob), 0);
}

/** The rest of both in two parts: `share` of the first's, and at most `ceiling` of the other's. The least divergence that this allows. */
function withCeiling(
  share: number,
  own: number,
  { rest, ceiling }: { rest: number; ceiling: number },
): number {
  const part = clamp(share, own);
  const likely = Math.min(ceiling, (rest * part) / own);
  return parted([part, own - part], [likely, remainder(rest, likely)]);
}

/** The same where the known share is the other's, and the ceiling that of the first. */
function underCeiling(
  share: number,
  own: number,
  { rest, ceiling }: { rest: number; ceiling: number },
): number {
  const part = clamp(share, own);
  const likely = Math.min(ceiling, (rest * part) / own);
  return parted([likely, rest - likely], [part, remainder(own, part)]);
}

/** What the second distribution has left. A difference of float32 sums that comes to less may be any share that small, and the bound takes the largest. */
function remainder(rest: number, part: number): number {
  return Math.max(leastRest, rest - part);
}

function parted(p: readonly [number, number], q: readonly [number, number]): number {
  return p.reduce(
    (sum, share, i) => sum + term(share, Math.log(share) - Math.log(Math.max(q[i]!, Number.MIN_VALUE))),
    0,
  );
}

/** p × log ratio, 0 where p is 0. */
function term(p: number, logRatio: number): number {
  return p > 0 ? p * logRatio : 0;
}

/** Float32 sums may go over a rest by a little. */
function clamp(share: number, rest: number): number {
  return Math.min(share, rest);
}

function total(logprobs: readonly number[]): number {
  return logprobs.reduce((sum, logprob) => sum + Math.exp(logprob), 0);
}

function restOf(logprobs: ArrayLike<number>): number {
  return Math.max(leastRest, 1 - Math.exp(logSumExp(logprobs)));
}

function normalised(logprobs: Float32Array): number[] {
  const sum = logSumExp(logprobs);
  return Array.from(logprobs, (logprob) => logprob - sum);
}

/** Log probabilities of the tokens that both name, and of those that one alone does. */
function named(one: TokenDistribution, other: TokenDistribution) {
  const places = new Map(Array.from(other.logprobs, (_, i) => [idAt(other, i), i]));
  const both: [number, number][] = [];
  const onlyOne: number[] = [];
  one.logprobs.forEach((logprob, i) => {
    const id = idAt(one, i);
    const place = places.get(id);
    if (place === undefined) onlyOne.push(logprob);
    else both.push([logprob, other.logprobs[place]!]);
    places.delete(id);
  });
  return { both, onlyOne, onlyOther: [...places.values()].map((place) => other.logprobs[place]!) };
}

function idAt({ ids }: TokenDistribution, place: number): number {
  return ids ? ids[place]! : place;
}
