import type { Finding } from "./numeric-check.ts";

/** Compares value by value. `allowed` is the error that each may have: 0 asks for the same number, bit for bit but for NaN's. */
export function compare(
  found: ArrayLike<number>,
  expected: ArrayLike<number>,
  allowed: number | ArrayLike<number> = 0,
): Finding {
  if (found.length !== expected.length) {
    return { worst: Infinity, found: `${found.length} values`, expected: `${expected.length} values` };
  }
  let worst = 0;
  let at = 0;
  for (let i = 0; i < expected.length; i++) {
    const share = errorShare(found[i]!, expected[i]!, typeof allowed === "number" ? allowed : allowed[i]!);
    if (share <= worst) continue;
    worst = share;
    at = i;
  }
  return { worst, found: shown(found[at]!), expected: shown(expected[at]!), at: `value ${at}` };
}

function errorShare(found: number, expected: number, allowed: number): number {
  if (Object.is(found, expected)) return 0;
  const error = Math.abs(found - expected);
  // -0 is another number than 0 only where exactness is asked for.
  return allowed > 0 && error <= Number.MAX_VALUE ? error / allowed : Infinity;
}

/** JSON has no word for these. */
function shown(value: number): number | string {
  return Number.isFinite(value) && !Object.is(value, -0)
    ? value
    : Object.is(value, -0)
      ? "-0"
      : String(value);
}

/** Several comparisons as one finding: the worst. */
export function worstOf(findings: readonly (Finding & { of?: string })[]): Finding {
  const [first, ...rest] = findings;
  const { of, ...finding } = rest.reduce((a, b) => (b.worst > a.worst ? b : a), first!);
  return of === undefined ? finding : { ...finding, at: [of, finding.at].filter(Boolean).join(", ") };
}
