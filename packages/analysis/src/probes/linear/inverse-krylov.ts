import type { Cholesky } from "../../linalg/cholesky.ts";
import { addScaled, dot } from "../../linalg/vectors.ts";

const maxSteps = 200;

/** (A + offset) · x = right is to be solved for each offset. */
export interface ShiftedSide {
  readonly right: Float64Array;
  readonly offsets: readonly number[];
}

interface State extends ShiftedSide {
  readonly norm: number;
  readonly basis: Float64Array[];
  readonly diagonal: number[];
  readonly beside: number[];
  readonly found: Float64Array[];
}

/**
 * x of (A + offset) · x = right for every side and offset, `[side][offset]`, given the factor of A: by Lanczos's method on A⁻¹ with full
 * orthogonalisation. The space that a side spans with A⁻¹ is the same for every offset, so that one solve a step serves them all. A side
 * ends when what is left of it is below `share` of it.
 */
export function inverseKrylov(
  factor: Cholesky,
  sides: readonly ShiftedSide[],
  share: number,
): Float64Array[][] {
  const states = sides.map(({ right, offsets }): State => {
    const norm = Math.sqrt(dot(right, right));
    const start = right.map((each) => (norm > 0 ? each / norm : 0));
    return { right, offsets, norm, basis: [start], diagonal: [], beside: [], found: [] };
  });
  let open = states.filter(({ norm, found, offsets, right }) => {
    if (norm > 0) return true;
    offsets.forEach((_, k) => (found[k] = right.slice()));
    return false;
  });
  for (let step = 1; open.length > 0; step++) {
    const images = factor.solveMany(open.map(({ basis }) => basis.at(-1)!));
    open = open.filter((state, i) => {
      const next = images[i]!;
      const { basis, diagonal, beside, offsets, found } = state;
      diagonal.push(dot(next, basis.at(-1)!));
      for (const vector of basis) addScaled(next, -dot(next, vector), vector);
      const norm = Math.sqrt(dot(next, next));
      const ended = step === Math.min(maxSteps, factor.size) || norm <= 1e-14 * diagonal[0]!;
      beside.push(norm);
      basis.push(norm > 0 ? next.map((each) => each / norm) : next);
      offsets.forEach((offset, k) => {
        if (found[k]) return;
        const inside = solveTridiagonal(diagonal, beside, offset);
        const left = Math.abs(offset * norm * inside.at(-1)!);
        if (left <= share || ended) found[k] = solutionOf(state, inside);
      });
      return offsets.some((_, k) => !found[k]);
    });
  }
  return states.map(({ found }) => found);
}

/** c of (I + offset · T) · c = e₁, T with `diagonal` and `beside` (its last number is outside). */
function solveTridiagonal(diagonal: readonly number[], beside: readonly number[], offset: number): number[] {
  const size = diagonal.length;
  const pivots: number[] = [];
  const solved: number[] = [];
  for (let i = 0; i < size; i++) {
    const above = i > 0 ? (offset * beside[i - 1]!) / pivots[i - 1]! : 0;
    pivots.push(1 + offset * diagonal[i]! - (i > 0 ? above * offset * beside[i - 1]! : 0));
    solved.push(i > 0 ? -above * solved[i - 1]! : 1);
  }
  for (let i = size - 1; i >= 0; i--) {
    if (i < size - 1) solved[i]! -= offset * beside[i]! * solved[i + 1]!;
    solved[i]! /= pivots[i]!;
  }
  return solved;
}

/** A⁻¹ · basis · c, by the recurrence. */
function solutionOf({ basis, diagonal, beside, norm }: State, inside: readonly number[]): Float64Array {
  const solution = new Float64Array(basis[0]!.length);
  for (let k = 0; k <= inside.length; k++) {
    const above = k > 0 ? beside[k - 1]! * inside[k - 1]! : 0;
    const own = k < inside.length ? diagonal[k]! * inside[k]! : 0;
    const below = k + 1 < inside.length ? beside[k]! * inside[k + 1]! : 0;
    addScaled(solution, norm * (above + own + below), basis[k]!);
  }
  return solution;
}
