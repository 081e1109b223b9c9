import { ResiduaError } from "@residua/client";

/** A steering vector that cannot be sent, or not to this model. */
export class SteeringError extends ResiduaError {
  declare readonly code:
    | "steering_rows"
    | "steering_layer"
    | "steering_width"
    | "steering_not_finite"
    | "steering_zero_vector"
    | "steering_scale"
    | "steering_positions"
    | "steering_too_many"
    | "steering_too_large";

  constructor(code: SteeringError["code"], message: string, data: Readonly<Record<string, unknown>> = {}) {
    super(code, message, data);
  }
}

/** Rows to add to the residual stream, one for each layer. Frozen; the rows are copies. */
export interface SteeringVector {
  /** Ascending; layer L is the output of decoder block L, 0-based. */
  readonly layers: readonly number[];
  /** `rows[i]` goes to `layers[i]`. Each has `width` numbers. */
  readonly rows: readonly Float32Array[];
  readonly width: number;
  readonly scale: number;
  /** With it h' = h + scale · ‖h‖ · v / ‖v‖ at each position; without, h' = h + scale · v. */
  readonly normMatch: boolean;
  /** Absolute positions in prompt + generated tokens that are steered; null for all. */
  readonly positions: readonly number[] | null;
}

export interface SteeringVectorOptions {
  /** By layer: the vector that is added there. All of one width. */
  rows: Readonly<Record<number, ArrayLike<number>>>;
  /** Default 1. 0 changes nothing, and is the baseline on the same engine. */
  scale?: number;
  normMatch?: boolean;
  /** Absolute positions, each once; left out: every position, generated ones too. */
  positions?: readonly number[];
}

/** Builds a steering vector. Throws SteeringError. Limits that depend on the model are checked when it is sent. */
export function steeringVector({
  rows,
  scale = 1,
  normMatch = false,
  positions,
}: SteeringVectorOptions): SteeringVector {
  const layers = Object.keys(rows)
    .map(readLayer)
    .sort((a, b) => a - b);
  if (layers.length === 0)
    throw new SteeringError(
      "steering_rows",
      "a steering vector needs at least one layer: rows: { 16: direction }",
    );
  if (!Number.isFinite(scale))
    throw new SteeringError("steering_scale", `scale ${scale} given; allowed: a finite number`);
  const values = layers.map((layer) => readRow(rows[layer], layer, normMatch));
  const width = values[0]?.length ?? 0;
  const odd = layers.findIndex((_, i) => values[i]?.length !== width);
  if (odd >= 0) {
    throw new SteeringError(
      "steering_width",
      `layer ${layers[odd]} has ${values[odd]?.length} numbers and layer ${layers[0]} ${width}; all rows need one width`,
    );
  }
  return Object.freeze({
    layers: Object.freeze(layers),
    rows: Object.freeze(values),
    width,
    scale,
    normMatch,
    positions: positions === undefined ? null : readPositions(positions),
  });
}

function readLayer(key: string): number {
  if (/^(0|[1-9]\d{0,8})$/.test(key)) return Number(key);
  throw new SteeringError(
    "steering_layer",
    `layer ${key} given; allowed: integers from 0 (a negative layer would be ignored by the server)`,
  );
}

function readRow(given: ArrayLike<number> | undefined, layer: number, normMatch: boolean): Float32Array {
  if (
    given === undefined ||
    typeof given !== "object" ||
    typeof given.length !== "number" ||
    given.length === 0
  ) {
    throw new SteeringError(
      "steering_rows",
      `layer ${layer}: allowed: one row of numbers, as long as the model's hidden size`,
    );
  }
  let squares = 0;
  for (let i = 0; i < given.length; i++) {
    const value: unknown = given[i];
    if (typeof value !== "number") {
      throw new SteeringError(
        "steering_rows",
        `layer ${layer}: item ${i} is not a number; allowed: one flat row for each layer`,
      );
    }
    if (!Number.isFinite(Math.fround(value))) {
      throw new SteeringError(
        "steering_not_finite",
        `layer ${layer}: number ${i} is ${value} as float32; allowed: finite numbers (one NaN can spoil other requests on the server)`,
        { layer, index: i },
      );
    }
    squares += Math.fround(value) ** 2;
  }
  if (normMatch && squares === 0) {
    throw new SteeringError(
      "steering_zero_vector",
      `layer ${layer}: the row is zero, and normMatch scales by its norm, so nothing would change`,
      { layer },
    );
  }
  return Float32Array.from(given);
}

function readPositions(given: readonly number[]): readonly number[] {
  const bad = given.find((position) => !Number.isInteger(position) || position < 0);
  if (given.length === 0 || bad !== undefined || new Set(given).size !== given.length) {
    const what =
      bad === undefined ? (given.length === 0 ? "an empty list" : "a position twice") : String(bad);
    throw new SteeringError(
      "steering_positions",
      `positions: ${what} given; allowed: integers from 0, each once (leave it out for every position)`,
    );
  }
  return Object.freeze([...given].sort((a, b) => a - b));
}
