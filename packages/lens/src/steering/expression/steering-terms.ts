/** One term of a steering expression: what is added, where, and how strongly. */
export interface SteeringTerm {
  readonly factor: number;
  /** Of a direction. */
  readonly name: string;
  /** Ascending, each once. */
  readonly layers: readonly number[];
  /** The layer whose row is added at all `layers`; left out: each layer's own. */
  readonly from?: number;
  /** Ascending, each once; left out: every position. */
  readonly positions?: readonly number[];
  readonly normMatch: boolean;
  /** Where the term begins in the text, from 1. */
  readonly column: number;
}

/**
 * The expression of terms, as `parseSteering` reads it: `0.8 truth@12 - 0.3 length@12:14 at 3,5 norm`. A factor of 1 is left out, and
 * layers in a row are written as a range.
 */
export function printSteering(terms: readonly Omit<SteeringTerm, "column">[]): string {
  return terms
    .map((term, i) => {
      const { factor, name, layers, from, positions, normMatch } = term;
      const negative = factor < 0 || Object.is(factor, -0);
      const sign = i === 0 ? (negative ? "-" : "") : negative ? " - " : " + ";
      const size = Math.abs(factor);
      return [
        `${sign}${size === 1 ? "" : `${size} `}${name}@${ranges(layers)}`,
        ...(from === undefined ? [] : [`from ${from}`]),
        ...(positions === undefined ? [] : [`at ${ranges(positions)}`]),
        ...(normMatch ? ["norm"] : []),
      ].join(" ");
    })
    .join("");
}

/** Ascending integers: `1,3:5`. */
function ranges(list: readonly number[]): string {
  const runs: [number, number][] = [];
  for (const value of list) {
    const last = runs.at(-1);
    if (last?.[1] === value - 1) last[1] = value;
    else runs.push([value, value]);
  }
  return runs.map(([first, last]) => (first === last ? `${first}` : `${first}:${last}`)).join(",");
}
