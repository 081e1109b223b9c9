import { checkFields } from "@residua/client";
import * as z from "zod";
import { checkRange, checkStrength } from "./check-strength.ts";
import type { Direction } from "./direction.ts";
import { isZero } from "./norm.ts";
import { type Place, readPositions } from "./read-positions.ts";
import { isList, readRow, shown } from "./read-row.ts";
import { SteeringError } from "./steering-error.ts";

/** Rows to add to the residual stream, for each layer one for every position or one for each. Frozen; the rows are copies. */
export interface SteeringVector {
  /** Ascending; layer L is the output of decoder block L, 0-based. */
  readonly layers: readonly number[];
  /** `rows[i]` goes to `layers[i]`: `[width]`, or `[positions, width]` where each position has a row of its own. */
  readonly rows: readonly Float32Array[];
  readonly width: number;
  readonly scale: number;
  /** With it h' = h + scale · ‖h‖ · v / ‖v‖ at each position; without, h' = h + scale · v. */
  readonly normMatch: boolean;
  /** Absolute positions in prompt + generated tokens that are steered, ascending; null for all. */
  readonly positions: readonly number[] | null;
}

/** One row, or with `positions` one for each of them in their order. */
export type SteeringRows = ArrayLike<number> | readonly ArrayLike<number>[];

export interface SteeringVectorOptions {
  /** By layer: what is added there, all of one width. Or a direction, or several of different layers. */
  rows: Readonly<Record<number, SteeringRows>> | Direction | readonly Direction[];
  /** Default 1. 0 changes nothing, and is the baseline on the same engine. */
  scale?: number;
  normMatch?: boolean;
  /** Absolute positions, each once; left out: every position, generated ones too. */
  positions?: readonly number[];
}

const optionCheck = {
  schema: z.looseObject({ normMatch: z.boolean().optional() }),
  fields: {
    rows: { allowed: "rows by layer, such as { 16: row }, or directions" },
    scale: { allowed: "a finite number" },
    normMatch: { allowed: "true or false" },
    positions: { allowed: "a list of integers from 0" },
  },
  hints: {
    position_indices: "use positions",
    layer_indices: "use rows: { 16: row }",
    layers: "use rows: { 16: row }",
    activations: "use rows: { 16: row }",
  },
  what: "steering vector",
};

/** Builds a steering vector. Throws SteeringError, and InvalidRequestError for an option that is none. Limits that depend on the model are checked when it is sent. */
export function steeringVector(options: SteeringVectorOptions): SteeringVector {
  checkFields(options, optionCheck);
  const { scale = 1, normMatch = false, positions } = options;
  const given = rowsByLayer(options.rows);
  const layers = [...given.keys()].sort((a, b) => a - b);
  if (layers.length === 0)
    throw new SteeringError(
      "steering_rows",
      "a steering vector needs at least one layer: rows: { 16: direction }",
    );
  if (!Number.isFinite(scale))
    throw new SteeringError("steering_scale", `scale: ${shown(scale)} given; allowed: a finite number`);
  const places = positions === undefined ? undefined : readPositions(positions);
  const read = layers.map((layer) => readLayerRows(given.get(layer), layer, positions));
  const width = read[0]?.[0]?.length ?? 0;
  for (const [i, rows] of read.entries()) checkRows(rows, { layer: layers[i] ?? 0, width, normMatch });
  const own = read.some((rows) => rows.length > 1);
  const rows = read.map((rows) => (own ? inOrder(rows, places ?? []) : (rows[0] ?? new Float32Array())));
  const vector = Object.freeze({
    layers: Object.freeze(layers),
    rows: Object.freeze(rows),
    width,
    scale,
    normMatch,
    positions: places === undefined ? null : Object.freeze(places.map(({ position }) => position)),
  });
  checkRange(vector);
  checkStrength([vector]);
  return vector;
}

/** The row of `layers[layer]` at `positions[place]`; a view. */
export function rowOf({ rows, width }: SteeringVector, layer: number, place: number): Float32Array {
  const all = rows[layer] ?? new Float32Array();
  return all.length === width ? all : all.subarray(place * width, (place + 1) * width);
}

function rowsByLayer(rows: unknown): Map<number, unknown> {
  if (ArrayBuffer.isView(rows) || (Array.isArray(rows) && !rows.every(isDirection))) {
    throw new SteeringError(
      "steering_rank",
      "rows: a list without layers given, and no layer is guessed; allowed: rows by layer, such as { 16: row }, or directions",
    );
  }
  if (typeof rows !== "object" || rows === null || rows instanceof Map || rows instanceof Set) {
    const hint = rows instanceof Map ? " (Object.fromEntries makes that of a Map)" : "";
    throw new SteeringError(
      "steering_rows",
      `rows: ${shown(rows)} given; allowed: rows by layer, such as { 16: row }, or directions${hint}`,
    );
  }
  const entries: [unknown, unknown][] = isDirection(rows)
    ? [[rows.layer, rows.vector]]
    : Array.isArray(rows)
      ? (rows as Direction[]).map(({ layer, vector }) => [layer, vector])
      : Object.entries(rows);
  const byLayer = new Map(entries.map(([layer, row]) => [readLayer(layer), row]));
  if (byLayer.size === entries.length) return byLayer;
  throw new SteeringError(
    "steering_layer",
    "two of the directions have one layer; add them first (addDirections), or give a vector for each",
  );
}

function isDirection(value: unknown): value is Direction {
  return typeof value === "object" && value !== null && "vector" in value && "layer" in value;
}

function readLayer(layer: unknown): number {
  if (/^(0|[1-9]\d{0,8})$/.test(String(layer))) return Number(layer);
  throw new SteeringError(
    "steering_layer",
    `layer ${String(layer)} given; allowed: integers from 0 (a negative layer would be ignored by the server)`,
  );
}

/** Rows of a layer as given: one, or one for each position. */
function readLayerRows(
  given: unknown,
  layer: number,
  positions: readonly number[] | undefined,
): Float32Array[] {
  const nested = isList(given) && given.length > 0 && isList(given[0]);
  if (!nested) return [readRow(given, `layer ${layer}`)];
  const rows = given;
  if (rows.length !== positions?.length) {
    const asked =
      positions === undefined ? "no positions are named" : `${positions.length} positions are named`;
    throw new SteeringError(
      "steering_rank",
      `layer ${layer}: ${rows.length} rows given and ${asked}; allowed: one row, or one row for each position`,
      { layer, rows: rows.length, positions: positions?.length },
    );
  }
  return Array.from(rows, (row, j) => readRow(row, `layer ${layer}, position ${positions[j]}`));
}

function checkRows(
  rows: readonly Float32Array[],
  { layer, width, normMatch }: { layer: number; width: number; normMatch: boolean },
): void {
  const odd = rows.find((row) => row.length !== width);
  if (odd !== undefined) {
    throw new SteeringError(
      "steering_width",
      `layer ${layer} has a row of ${odd.length} numbers and the first row has ${width}; all rows need one width`,
    );
  }
  if (normMatch && rows.some(isZero)) {
    throw new SteeringError(
      "steering_zero_vector",
      `layer ${layer}: a row is zero, and normMatch scales by its norm, so nothing would change`,
      { layer },
    );
  }
}

/** Rows one after another, in ascending order of their positions. */
function inOrder(rows: readonly Float32Array[], places: readonly Place[]): Float32Array {
  const width = rows[0]?.length ?? 0;
  const all = new Float32Array(places.length * width);
  places.forEach(({ given }, j) => all.set((rows.length > 1 ? rows[given] : rows[0]) ?? [], j * width));
  return all;
}
