/**
 * Solves for `rights`, as many at once as the kernel has lanes: the numbers of `lanes` right-hand sides stand side by side in `values`,
 * and `run` writes the solutions over them.
 */
export function solveLanes(
  rights: readonly ArrayLike<number>[],
  solved: readonly Float64Array[],
  { values, size, lanes }: { values: Float32Array | Float64Array; size: number; lanes: number },
  run: () => void,
): void {
  for (let first = 0; first < rights.length; first += lanes) {
    const count = Math.min(lanes, rights.length - first);
    values.fill(0);
    for (let k = 0; k < count; k++) {
      const right = rights[first + k]!;
      for (let i = 0; i < size; i++) values[i * lanes + k] = right[i]!;
    }
    run();
    for (let k = 0; k < count; k++) {
      const own = solved[first + k]!;
      for (let i = 0; i < size; i++) own[i] = values[i * lanes + k]!;
    }
  }
}
