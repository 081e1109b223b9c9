import { Buffer } from "node:buffer";
import type { PackedMatrix } from "../../results/probe-scorer.ts";

export function packMatrix(values: Float64Array, columns: number): PackedMatrix {
  const bytes = new DataView(new ArrayBuffer(values.length * 8));
  values.forEach((value, at) => bytes.setFloat64(8 * at, value, true));
  return { rows: values.length / columns, columns, float64: Buffer.from(bytes.buffer).toString("base64") };
}

/** The numbers; a text that says what is wrong when there are more or fewer, or one that is not finite. */
export function unpackMatrix({ rows, columns, float64 }: PackedMatrix): Float64Array | string {
  const bytes = Buffer.from(float64, "base64");
  if (bytes.length !== rows * columns * 8)
    return `${bytes.length} bytes where ${rows} × ${columns} float64 numbers are ${rows * columns * 8}`;
  const values = new Float64Array(rows * columns);
  for (let at = 0; at < values.length; at++) values[at] = bytes.readDoubleLE(8 * at);
  return values.every(Number.isFinite) ? values : "a number that is not finite";
}
