import type { StoredArray } from "../arrays/stored-array.ts";
import { FormatError } from "../format-error.ts";
import type { PickleValue } from "../pickle/pickle-value.ts";
import { PtTensor } from "./pt-tensor.ts";
import { readPt } from "./read-pt.ts";

/** Reads a .pt file that holds one tensor and nothing else, of so many dimensions. Throws FormatError. */
export async function readPtArray(path: string, dimensions: number): Promise<StoredArray> {
  const value = await readPt(path);
  if (!(value instanceof PtTensor) || value.shape.length !== dimensions) {
    throw new FormatError(
      "format_invalid",
      `${path} holds ${describe(value)}; expected a tensor of ${dimensions} dimensions`,
    );
  }
  return value.stored();
}

function describe(value: PickleValue): string {
  if (value instanceof PtTensor) return `a tensor of shape [${value.shape.join(", ")}]`;
  if (value instanceof Map) return `a dict of ${value.size} items`;
  if (Array.isArray(value)) return `a list of ${value.length} items`;
  return typeof value === "object" ? "no tensor" : `a ${typeof value}`;
}
