import type { Tensor } from "../codec/tensor-codec.ts";
import type { CaptureCheck, CapturedToken } from "../lens-types.ts";
import { tokensDiffer } from "../tokens/tokens-differ.ts";
import { spread } from "./sampled-rows.ts";
import { VerificationError } from "./verification-error.ts";

/** Rows of a capture that are compared and remembered: at some layers, those of the first and of the last positions. */
const layersRead = 8;
const positionsAtEachEnd = 16;

interface CapturedRows {
  model: string;
  layers: readonly number[];
  /** `[layers, positions, hiddenSize]`. */
  tensor: Tensor;
  tokens: readonly CapturedToken[];
}

/** What rows were seen at which token, so that rows that belong to another request are known again. */
export interface RowMemory {
  /**
   * Compares the rows with those of earlier captures, and remembers them. The same bits at one layer for two different
   * tokens are the work of one token: refused (`other_request_rows`) where two positions show it. One alone is not refused,
   * since two tokens may have one embedding.
   */
  check(rows: CapturedRows): CaptureCheck;
}

/** Remembers the digests of `limit` rows, the newest: a few megabytes. */
export function makeRowMemory(limit = 65_536): RowMemory {
  const seen = new Map<string, CapturedToken>();

  return {
    check(rows) {
      const own = digests(rows);
      if (own.size === 0)
        return check("unverified", "no row can be compared: its token is not known, or all are one");
      const other = new Map<number, CapturedToken>();
      for (const [digest, places] of own) {
        const before = seen.get(digest);
        if (before === undefined) continue;
        for (const { token, position } of places)
          if (tokensDiffer(before, token)) other.set(position, before);
      }
      const positions = [...other.keys()].sort((a, b) => a - b);
      if (positions.length > 1) throw otherRows(rows, positions, other);
      for (const [digest, places] of own) {
        // What is one row for several tokens (a vector drowned the stream there) is the row of none of them.
        const [place] = places;
        if (place && !seen.has(digest) && !ofSeveralTokens(places)) seen.set(digest, place.token);
      }
      for (const digest of seen.keys()) {
        if (seen.size <= limit) break;
        seen.delete(digest);
      }
      if (positions.length === 1)
        return check(
          "unverified",
          `row ${positions[0]} has the bits of ${nameOf(other.get(positions[0] ?? 0))} in an earlier capture: two tokens with one embedding, or a row of that request`,
        );
      return check("pass", "no two rows have the bits of other tokens' rows in earlier captures");
    },
  };
}

function check(status: CaptureCheck["status"], detail: string): CaptureCheck {
  return { code: "other_request_rows", status, detail };
}

function otherRows(
  { tokens }: CapturedRows,
  positions: readonly number[],
  other: ReadonlyMap<number, CapturedToken>,
): VerificationError {
  const [first = 0] = positions;
  return new VerificationError(
    "other_request_rows",
    `rows at ${positions.length} positions have the bits of rows that an earlier capture had for other tokens (position ${first}: ${nameOf(tokens[first])} here, ${nameOf(other.get(first))} there). ` +
      "One of the two captures holds the rows of another request: use neither, and ask again with one request at a time",
    { positions },
  );
}

interface Place {
  token: CapturedToken;
  position: number;
}

/** The rows that are compared, by digest. A layer whose rows are all one (a vector drowned the stream) tells nothing of requests. */
function digests({ model, layers, tensor, tokens }: CapturedRows) {
  const [, positions = 0, hiddenSize = 0] = tensor.shape;
  const found = new Map<string, Place[]>();
  for (const at of spread(layers.length, layersRead)) {
    const ofLayer = new Map<string, Place[]>();
    for (const position of ends(positions)) {
      const token = tokens[position];
      if (token === undefined || nameOf(token) === undefined) continue;
      const start = (at * positions + position) * hiddenSize;
      const digest = `${model} ${layers[at]} ${digestOf(tensor, start, start + hiddenSize)}`;
      const same = ofLayer.get(digest);
      if (same === undefined) ofLayer.set(digest, [{ token, position }]);
      else same.push({ token, position });
    }
    const [only] = ofLayer.values();
    if (ofLayer.size === 1 && only && ofSeveralTokens(only)) continue;
    for (const [digest, places] of ofLayer) found.set(digest, places);
  }
  return found;
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

/** 64 bits of what a row holds (two rounds of MurmurHash3's 32-bit mixing). */
function digestOf(tensor: Tensor, start: number, end: number): string {
  const units =
    tensor.dtype === "float32"
      ? new Uint32Array(tensor.values.slice(start, end).buffer)
      : tensor.bits.subarray(start, end);
  let a = 0x9747b28c;
  let b = 0x3c6ef372;
  for (const unit of units) {
    a = mix(a, Math.imul(unit, 0xcc9e2d51));
    b = mix(b, Math.imul(unit + 1, 0x1b873593));
  }
  return `${(a >>> 0).toString(36)}.${(b >>> 0).toString(36)}`;
}

function mix(hash: number, word: number): number {
  const turned = hash ^ ((word << 15) | (word >>> 17));
  return (Math.imul((turned << 13) | (turned >>> 19), 5) + 0xe6546b64) | 0;
}
