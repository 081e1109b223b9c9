import type { Capture } from "../lens-types.ts";

/** `[hiddenSize]`: of each number the mean over the rows, summed in float64 and rounded once; or the largest. */
export function poolRows(
  capture: Pick<Capture, "row" | "hiddenSize">,
  { layer, positions, by }: { layer: number; positions: readonly number[]; by: "mean" | "max" },
): Float32Array {
  const { hiddenSize } = capture;
  const pooled = new Float64Array(hiddenSize).fill(by === "mean" ? 0 : -Infinity);
  for (const position of positions) {
    const row = capture.row({ layer, position });
    for (let i = 0; i < hiddenSize; i++) {
      const value = row[i] ?? 0;
      const sofar = pooled[i] ?? 0;
      pooled[i] = by === "mean" ? sofar + value : Math.max(sofar, value);
    }
  }
  return Float32Array.from(pooled, (value) => (by === "mean" ? value / positions.length : value));
}
