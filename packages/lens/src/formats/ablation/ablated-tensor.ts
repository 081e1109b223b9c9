import type { StoredArray } from "../arrays/stored-array.ts";
import { isFloatDtype, storedFloats, storeFloats } from "../arrays/stored-floats.ts";
import { FormatError } from "../format-error.ts";
import { alongDirection, orthogonalise, type StreamSide } from "./orthogonalise.ts";

/** A tensor that writes nothing along a direction any more, but for the rounding to its type. */
export interface AblatedTensor {
  readonly stored: StoredArray;
  /** ‖what it writes along the direction‖ / ‖tensor‖. */
  readonly before: number;
  readonly after: number;
}

/** Orthogonalises a matrix, or a bias that is added to the stream. Errors `format_unsupported`, `format_invalid`. */
export function ablatedTensor(
  name: string,
  stored: StoredArray,
  unit: Float64Array,
  side: StreamSide,
): AblatedTensor {
  const { dtype, shape } = stored;
  if (!isFloatDtype(dtype)) {
    throw new FormatError(
      "format_unsupported",
      `tensor ${name} is ${dtype}; only float weights can be ablated`,
    );
  }
  const size: [number, number] = [shape[0] ?? 0, shape.length === 1 ? 1 : (shape[1] ?? 0)];
  if (shape.length > 2 || size[side === "rows" ? 0 : 1] !== unit.length) {
    throw new FormatError(
      "format_invalid",
      `tensor ${name} has the shape [${shape.join(", ")}]; its ${side} are not the ${unit.length} numbers of the stream`,
    );
  }
  const values = storedFloats(stored, name);
  const before = share(values, size, unit, side);
  orthogonalise(values, size, unit, side);
  const written = storeFloats(values, shape, dtype, name);
  return { stored: written, before, after: share(storedFloats(written), size, unit, side) };
}

function share(values: Float32Array, size: [number, number], unit: Float64Array, side: StreamSide): number {
  const norm = (numbers: ArrayLike<number>) => {
    let squares = 0;
    for (let i = 0; i < numbers.length; i++) squares += numbers[i]! ** 2;
    return Math.sqrt(squares);
  };
  const whole = norm(values);
  return whole === 0 ? 0 : norm(alongDirection(values, size, unit, side)) / whole;
}
