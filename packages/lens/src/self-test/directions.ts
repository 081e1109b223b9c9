import { bf16ToFloat32, float32ToBf16 } from "../codec/bfloat16.ts";
import { dot, norm } from "../steering/norm.ts";
import { difference, median } from "./row-numbers.ts";

/**
 * Directions whose effect shows clearly: zero where some row is very large (a few coordinates of many models, in which
 * bfloat16 cannot hold a small change), orthogonal to the rows and to each other, half as long as a usual row, and exact
 * in bfloat16. The same rows give the same directions.
 */
export function makeDirections(rows: readonly Float32Array[], count: number): Float32Array[] {
  const width = rows[0]?.length ?? 0;
  const usable = usableCoordinates(rows, width);
  const masked = rows.map((row) => row.map((value, i) => (usable[i] ? value : 0)));
  const length = median(masked.slice(1).map(norm)) / 2 || 1;
  // Each row that is left out of the basis leaves the projections a little noisier.
  const basis: Float32Array[] = [];
  for (const row of masked.slice(0, Math.floor(width / 3))) addTo(basis, row);
  const draw = normalNumbers(20);
  return Array.from({ length: count }, () => {
    const drawn = Float32Array.from({ length: width }, (_, i) => (usable[i] ? draw() : 0));
    const unit = addTo(basis, drawn) ?? drawn;
    return bf16ToFloat32(float32ToBf16(unit.map((value) => value * length)));
  });
}

/** Coordinates that are in no row over 8 times as large as usual. */
function usableCoordinates(rows: readonly Float32Array[], width: number): boolean[] {
  const sizes = Array.from({ length: width }, (_, i) =>
    Math.max(...rows.map((row) => Math.abs(row[i] ?? 0))),
  );
  const most = 8 * median(sizes);
  return sizes.map((size) => size <= most);
}

/** Adds what is new in a row to an orthonormal basis (Gram–Schmidt, twice for rounding); undefined where nothing is. */
function addTo(basis: Float32Array[], row: Float32Array): Float32Array | undefined {
  const before = norm(row);
  let rest = row;
  for (const unit of [...basis, ...basis]) {
    const share = dot(rest, unit);
    rest = difference(
      rest,
      unit.map((value) => value * share),
    );
  }
  const left = norm(rest);
  if (!(left > 1e-3 * before)) return undefined;
  const unit = rest.map((value) => value / left);
  basis.push(unit);
  return unit;
}

/** Normal numbers of a seed (mulberry32 by T. Ettinger, public domain; Box and Muller 1958). */
function normalNumbers(seed: number): () => number {
  let state = seed;
  const uniform = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return (((t ^ (t >>> 14)) >>> 0) + 0.5) / 2 ** 32;
  };
  return () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
}
