import { z } from "zod";
import { allowedWords } from "../options/allowed-words.ts";
import { checkOptions } from "../options/check-options.ts";
import { shown } from "../options/shown.ts";
import { ProbeError } from "./probe-error.ts";
import { directionSchema } from "../results/direction-schema.ts";
import { resultSchemaVersion } from "../results/result-version.ts";
import type { DirectionJSON } from "../results/direction-schema.ts";

/** A direction in the raw residual stream of one layer. */
export interface Direction {
  /** Layer L is the output of decoder block L, 0-based, before the final norm. */
  readonly layer: number;
  /** `[hiddenSize]` */
  readonly vector: Float32Array;
  /** Euclidean norm of `vector`. */
  readonly norm: number;
  /** Name and formula. */
  readonly method: string;
  readonly n: { readonly positive: number; readonly negative: number };
  readonly source: DirectionJSON["source"];
}

/** Euclidean norm, summed in float64. Throws ProbeError `not_finite`, InvalidRequestError for what is no list of numbers. */
export function directionNorm(vector: ArrayLike<number>): number {
  checkOptions(numbersSchema, vector, "direction", "vector");
  let squares = 0;
  for (let j = 0; j < vector.length; j++) {
    const value: unknown = vector[j];
    if (typeof value !== "number" || !Number.isFinite(value)) {
      throw new ProbeError(
        "not_finite",
        `The direction's number ${j} is ${shown(value)}: a direction has finite numbers.`,
        {
          feature: j,
        },
      );
    }
    squares += value ** 2;
  }
  return Math.sqrt(squares);
}

/** A list of numbers: they are not looked at. */
export const numbersSchema = z.custom<ArrayLike<number>>(
  (value) => Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView)),
  "a list of numbers",
);

/** Plain JSON from which `directionFromJSON` makes the same direction, bit for bit. */
export function directionToJSON(direction: Direction): DirectionJSON {
  const { vector, n, source, ...rest } = direction;
  return {
    schemaVersion: resultSchemaVersion,
    kind: "direction",
    ...rest,
    vector: [...vector],
    n: { ...n },
    source: { ...source },
  };
}

/** Reads what `directionToJSON` wrote; fails with `bad_direction` naming the first fault. */
export function directionFromJSON(json: unknown): Direction {
  const parsed = directionSchema.safeParse(json, { error: allowedWords });
  if (!parsed.success) {
    const issue = parsed.error.issues[0]!;
    throw new ProbeError(
      "bad_direction",
      `This is no direction: ${issue.path.join(".") || "the document"}; allowed: ${issue.message}.`,
      {
        issues: parsed.error.issues,
      },
    );
  }
  const { layer, vector, norm, method, n, source } = parsed.data;
  const direction = { layer, vector: Float32Array.from(vector), norm, method, n, source };
  if (Math.abs(directionNorm(direction.vector) - norm) > 1e-5 * norm) {
    throw new ProbeError(
      "bad_direction",
      `The direction says its norm is ${norm}, and its vector has ${directionNorm(direction.vector)}: the file was changed or cut.`,
      { norm },
    );
  }
  return direction;
}
