import { tile } from "./tile";

/** Numbers of a row that are multiplied and summed in T before their sum goes into float64. */
const DEPTH: usize = 256;
/** Rows that stay in the cache while all others pass by. */
const PANEL: usize = 64;

/**
 * Adds the products of all pairs of rows (`[rows, width]` T at `values`, `line` bytes apart; rows and
 * width multiples of 4) to the lower
 * half, and a little beyond the diagonal, of `out` (`[rows, rows]` float64).
 */
function gram<T>(values: usize, rows: usize, width: usize, line: usize, out: usize): void {
  const outLine = rows * 8;
  for (let k: usize = 0; k < width; k += DEPTH) {
    const bytes = (min(k + DEPTH, width) - k) * sizeof<T>();
    const part = values + k * sizeof<T>();
    for (let panel: usize = 0; panel < rows; panel += PANEL) {
      const end = min(panel + PANEL, rows);
      for (let i = panel; i < rows; i += 4) {
        for (let j = panel; j < min(end, i + 4); j += 2) {
          tile<T, f64>(
            part + i * line,
            line,
            part + j * line,
            line,
            bytes,
            out + i * outLine + j * 8,
            outLine,
            1,
          );
        }
      }
    }
  }
}

export function gramSingle(values: usize, rows: usize, width: usize, line: usize, out: usize): void {
  gram<f32>(values, rows, width, line, out);
}

export function gramDouble(values: usize, rows: usize, width: usize, line: usize, out: usize): void {
  gram<f64>(values, rows, width, line, out);
}
