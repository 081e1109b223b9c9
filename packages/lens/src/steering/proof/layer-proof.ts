import type { Capture } from "../../lens-types.ts";
import type { SteeringVector } from "../steering-vector.ts";
import { additionsAt, changeBy, expectedChange } from "./expected-change.ts";
import { distance, measureRow, type RowMeasure, type RowPair } from "./measure-row.ts";
import { isZero, norm } from "../norm.ts";

/** A row that vectors name. */
export interface SteeredRow extends RowMeasure {
  position: number;
  role: "prompt" | "generated";
}

/** A row that must be as it was. */
export interface StillRow {
  position: number;
  role: "prompt" | "generated";
  /** ‖seen‖ / ‖h‖. */
  change: number;
  /** How often the most alike row of a vector was added here: 0 is right, and 1 a row that belongs elsewhere. */
  coefficient: number;
  allowed: number;
}

/** What two captures show of the steering at one layer. */
export interface LayerProof {
  layer: number;
  normMatch: boolean;
  /** Whether a vector names positions. */
  named: boolean;
  steered: readonly SteeredRow[];
  still: readonly StillRow[];
  /** Vectors of the request that are added at this layer, by their index. */
  vectors: readonly number[];
  /** Those of them that some row shows: their own part of it is more than rounding and noise explain. */
  shown: readonly number[];
  /** Rows of the layer below, where nothing may change; null at layer 0. */
  below: readonly StillRow[] | null;
}

/** What a capture holds, as far as the proof reads it. */
type Rows = Pick<Capture, "row" | "tokens">;

/**
 * Compares the stream at a steered layer with the stream of the same tokens without the vectors of this layer and above, for the
 * first `rows` positions.
 */
export function proveLayer(
  vectors: readonly SteeringVector[],
  { plain, steered, layer, rows }: { plain: Rows; steered: Rows; layer: number; rows: number },
): LayerProof {
  const additions = additionsAt(vectors, layer);
  const different = [...new Map(additions.map((one) => [one.row, one])).values()];
  const pairAt = (at: number, position: number): RowPair => ({
    plain: plain.row({ layer: at, position }),
    steered: steered.row({ layer: at, position }),
  });
  const shown = new Set<number>();
  const proof = {
    layer,
    vectors: [...new Set(additions.map(({ index }) => index))],
    shown: [] as number[],
    normMatch: additions.some(({ vector }) => vector.normMatch),
    named: additions.some(({ position }) => position !== null),
    steered: [] as SteeredRow[],
    still: [] as StillRow[],
    below: layer === 0 ? null : ([] as StillRow[]),
  };
  for (let position = 0; position < rows; position++) {
    const place = { position, role: steered.tokens[position]?.role ?? "generated" };
    const below = layer === 0 ? undefined : pairAt(layer - 1, position);
    const pair: RowPair = { ...pairAt(layer, position), below };
    const here = additions.filter((one) => one.position === null || one.position === position);
    const expected = expectedChange(here, pair.plain);
    const parts = different.map((one) => changeBy(one, pair.plain)).filter((part) => !isZero(part));
    if (isZero(expected)) proof.still.push({ ...place, ...measureStill(pair, parts) });
    else {
      const other = measureRow(pair, expectedChange(here, pair.plain, "running"));
      const measured = measureRow(pair, expected);
      const row = other.relativeError < measured.relativeError ? other : measured;
      proof.steered.push({ ...place, ...row });
      const hidden = 2 * row.allowed * norm(expected);
      for (const one of here) if (norm(changeBy(one, pair.plain)) >= hidden) shown.add(one.index);
    }
    if (below !== undefined) proof.below?.push({ ...place, ...measureStill(below, parts) });
  }
  proof.shown = [...shown].sort((a, b) => a - b);
  return proof;
}

/** The part that is most in what changed. */
function measureStill(
  pair: RowPair,
  parts: readonly Float64Array[],
): Pick<StillRow, "change" | "coefficient" | "allowed"> {
  const measured = parts
    .map((part) => measureRow(pair, part))
    .filter(({ coefficient }) => Number.isFinite(coefficient))
    .sort((a, b) => Math.abs(b.coefficient) - Math.abs(a.coefficient));
  const [most = { coefficient: 0, allowed: Infinity }] = measured;
  return { change: distance(pair.plain, pair.steered), coefficient: most.coefficient, allowed: most.allowed };
}
