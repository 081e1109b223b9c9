/** Positions `from` to `to`, which is not included. */
export interface TokenStretch {
  from: number;
  to: number;
}

/** The positions of one stretch or of several, each once, ascending. */
export function stretchPositions(stretches: TokenStretch | readonly TokenStretch[]): number[] {
  const positions = [stretches]
    .flat()
    .flatMap(({ from, to }) => Array.from({ length: to - from }, (_, i) => from + i));
  return [...new Set(positions)].sort((a, b) => a - b);
}
