/**
 * A whole number that is known exactly or between bounds, with the sum that it came from. The bounds are for comparing:
 * any number up to 2 ** 53 is exact, and what is over it stays over it. `exact` gives the digits for a text.
 */
export interface Count {
  readonly least: number;
  /** Infinity: no upper bound is known. */
  readonly most: number;
  exact(): { least: bigint; most: bigint | undefined };
  /** `2 prompts × 128 choices` */
  text(): string;
  /** Why it is not exact; empty where it is. */
  reasons(): readonly string[];
}

/** An exact number of something. */
export function count(value: number, unit: string): Count {
  return {
    least: value,
    most: value,
    exact: () => ({ least: BigInt(value), most: BigInt(value) }),
    text: () => `${value} ${unit}`.trim(),
    reasons: () => [],
  };
}

/** A number that is only known to lie between two others; exact when they are equal. */
export function between(least: number, most: number, unit: string, reason: string): Count {
  if (least === most) return count(least, unit);
  return {
    least,
    most,
    exact: () => ({ least: BigInt(least), most: most === Infinity ? undefined : BigInt(most) }),
    text: () => `${most === Infinity ? `at least ${least}` : `${least} to ${most}`} ${unit}`.trim(),
    reasons: () => [reason],
  };
}

export function times(...factors: readonly Count[]): Count {
  let least = 1;
  let most = 1;
  for (const factor of factors) {
    least *= factor.least;
    // 0 × an unknown number is 0.
    most = most === 0 || factor.most === 0 ? 0 : most * factor.most;
  }
  return {
    least,
    most,
    exact: () => join(factors, 1n, (a, b) => a * b),
    text: () => factors.map((factor) => factor.text()).join(" × "),
    reasons: () => reasonsOf(factors),
  };
}

/** A sum. In a product it needs brackets. */
export function plus(terms: readonly Count[], { brackets = false } = {}): Count {
  let least = 0;
  let most = 0;
  for (const term of terms) {
    least += term.least;
    most += term.most;
  }
  return {
    least,
    most,
    exact: () => join(terms, 0n, (a, b) => a + b),
    text() {
      const text = terms.map((term) => term.text()).join(" + ");
      return brackets && terms.length > 1 ? `(${text})` : text;
    },
    reasons: () => reasonsOf(terms),
  };
}

/** The value in words: `51200`, `at least 40`, `from 40 to 300`. */
export function valueText(count: Count): string {
  const { least, most } = count.exact();
  if (least === most) return String(least);
  return most === undefined ? `at least ${least}` : `from ${least} to ${most}`;
}

function join(
  counts: readonly Count[],
  start: bigint,
  combine: (a: bigint, b: bigint) => bigint,
): { least: bigint; most: bigint | undefined } {
  let least = start;
  let most: bigint | undefined = start;
  for (const count of counts) {
    const next = count.exact();
    least = combine(least, next.least);
    most = most === undefined || next.most === undefined ? undefined : combine(most, next.most);
  }
  return { least, most };
}

function reasonsOf(counts: readonly Count[]): string[] {
  return [...new Set(counts.flatMap((count) => count.reasons()))];
}
