import type { Tensor } from "../codec/tensor-codec.ts";
import type { CaptureCheck, CapturedToken } from "../lens-types.ts";
import { likeness } from "../tokens/likeness.ts";
import { tokensDiffer } from "../tokens/tokens-differ.ts";
import { rowDigest } from "./row-digest.ts";
import { spread } from "./sampled-rows.ts";
import { VerificationError } from "./verification-error.ts";

/** Rows of a capture that are compared and remembered: at some layers, those of the first and of the last positions. */
const layersRead = 8;
const positionsAtEachEnd = 16;

/**
 * Rows at tokens of so many kinds are evidence. Tokens that were never trained may share an embedding, and
 * then have the same rows at a right server: SmolLM2-135M has 15 such tokens, of 4 kinds.
 */
const leastKinds = 5;
/** Rows of another request stand there in its order. */
const leastRun = 3;

interface CapturedRows {
  model: string;
  layers: readonly number[];
  /** `[layers, positions, hiddenSize]`. */
  tensor: Tensor;
  tokens: readonly CapturedToken[];
  /** The lowest layer that the request changes: a strong vector makes rows of several tokens one. Default: none. */
  changedFrom?: number;
}

/** What rows were seen at which token, so that rows that belong to another request are known again. */
export interface RowMemory {
  /**
   * Compares the rows below `changedFrom` with those of earlier captures, and remembers them. The same bits at one layer for two
   * different tokens are the work of one token, or of two with one embedding. Refused (`other_request_rows`) where runs of an
   * earlier capture's rows, in its order, stand at other tokens, and these are more than can share embeddings.
   */
  check(rows: CapturedRows): CaptureCheck;
}

/** Remembers the digests of `limit` rows, the newest: a few megabytes. */
export function makeRowMemory(limit = 65_536): RowMemory {
  const seen = new Map<string, Place>();

  return {
    check(rows) {
      const own = digests(rows);
      if (own.every(({ size }) => size === 0))
        return check(
          "unverified",
          "no row can be compared: its token is not known, or the request changes every layer, or all are one",
        );
      const found = own.map((places) => known(places, seen));
      const [worst = []] = [...found].sort((a, b) => evidence(b) - evidence(a));
      if (evidence(worst) >= leastKinds) throw otherRows(worst.filter(atOtherTokens));
      for (const places of own) {
        for (const [digest, same] of places) {
          // What is one row for several tokens (a vector drowned the stream there) is the row of none of them.
          const [place] = same;
          if (place && !seen.has(digest) && !ofSeveralTokens(same)) seen.set(digest, place);
        }
      }
      for (const digest of seen.keys()) {
        if (seen.size <= limit) break;
        seen.delete(digest);
      }
      const some = found.flat().find(atOtherTokens);
      if (some !== undefined)
        return check(
          "unverified",
          `row ${some.here.position} has the bits of ${nameOf(some.there.token)} in an earlier capture: two tokens with one embedding, or a row of that request; too few to tell`,
        );
      return check("pass", "no two rows have the bits of other tokens' rows in earlier captures");
    },
  };
}

function check(status: CaptureCheck["status"], detail: string): CaptureCheck {
  return { code: "other_request_rows", status, detail };
}

function otherRows(taken: readonly Known[]): VerificationError {
  const positions = taken.map(({ here }) => here.position);
  const [first] = taken;
  return new VerificationError(
    "other_request_rows",
    `rows at ${positions.length} positions have the bits of rows that an earlier capture had for other tokens, in its order (position ${positions[0]}: ${nameOf(first?.here.token)} here, ${nameOf(first?.there.token)} there). ` +
      "One of the two captures holds the rows of another request: use neither, and ask again with one request at a time",
    { positions },
  );
}

interface Place {
  token: CapturedToken;
  position: number;
}

/** A row that an earlier capture had as well. */
interface Known {
  digest: string;
  here: Place;
  there: Place;
}

const atOtherTokens = ({ here, there }: Known) => tokensDiffer(there.token, here.token);

/** The rows of one layer that were seen before, by position. */
function known(places: ReadonlyMap<string, readonly Place[]>, seen: ReadonlyMap<string, Place>): Known[] {
  const all: Known[] = [];
  for (const [digest, same] of places) {
    const there = seen.get(digest);
    if (there !== undefined) all.push(...same.map((here) => ({ digest, here, there })));
  }
  return all.sort((a, b) => a.here.position - b.here.position);
}

/** Of how many kinds are the tokens of runs in the order of the other capture; no more than there are different rows. */
function evidence(all: readonly Known[]): number {
  const runs: Known[][] = [];
  for (const one of all) {
    const last = runs.at(-1)?.at(-1);
    const follows =
      last?.here.position === one.here.position - 1 && last.there.position === one.there.position - 1;
    if (follows) runs.at(-1)?.push(one);
    else runs.push([one]);
  }
  const others = runs
    .filter((run) => run.length >= leastRun)
    .flat()
    .filter(atOtherTokens);
  const { kinds } = likeness(others.map(({ here, there }) => [here.token, there.token]));
  return Math.min(kinds, new Set(others.map(({ digest }) => digest)).size);
}

/** The rows that are compared, by digest, of each layer. One whose rows are all one tells nothing of requests. */
function digests({ model, layers, tensor, tokens, changedFrom = Infinity }: CapturedRows) {
  const [, positions = 0, hiddenSize = 0] = tensor.shape;
  const right = layers.filter((layer) => layer < changedFrom).length;
  return spread(right, layersRead).map((at) => {
    const ofLayer = new Map<string, Place[]>();
    for (const position of ends(positions)) {
      const token = tokens[position];
      if (token === undefined || nameOf(token) === undefined) continue;
      const start = (at * positions + position) * hiddenSize;
      const digest = `${model} ${layers[at]} ${rowDigest(tensor, start, start + hiddenSize)}`;
      const same = ofLayer.get(digest);
      if (same === undefined) ofLayer.set(digest, [{ token, position }]);
      else same.push({ token, position });
    }
    const [only] = ofLayer.values();
    return ofLayer.size === 1 && only && ofSeveralTokens(only) ? new Map<string, Place[]>() : ofLayer;
  });
}

function ofSeveralTokens(places: readonly Place[]): boolean {
  return places.some(({ token }) => tokensDiffer(token, places[0]?.token));
}

function ends(positions: number): number[] {
  const all = Array.from({ length: positions }, (_, p) => p);
  return positions <= 2 * positionsAtEachEnd
    ? all
    : [...all.slice(0, positionsAtEachEnd), ...all.slice(-positionsAtEachEnd)];
}

function nameOf(token: CapturedToken | undefined): string | undefined {
  if (token === undefined) return undefined;
  if (token.id !== null) return `token ${token.id}`;
  return token.text === null ? undefined : JSON.stringify(token.text);
}
