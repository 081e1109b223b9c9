/** A whole number that is known exactly or between bounds, with the sum that it came from. */
export interface Count {
  readonly least: bigint;
  /** Undefined: no upper bound is known. */
  readonly most: bigint | undefined;
  /** `2 prompts × 128 choices` */
  readonly text: string;
  /** Why it is not exact; empty where it is. */
  readonly reasons: readonly string[];
}

/** An exact number of something. */
export function count(value: number, unit: string): Count {
  return { least: BigInt(value), most: BigInt(value), text: `${value} ${unit}`.trim(), reasons: [] };
}

/** A number that is only known to lie between two others; exact when they are equal. */
export function between(least: number, most: number | undefined, unit: string, reason: string): Count {
  if (least === most) return count(least, unit);
  const range = most === undefined ? `at least ${least}` : `${least} to ${most}`;
  return {
    least: BigInt(least),
    most: most === undefined ? undefined : BigInt(most),
    text: `${range} ${unit}`,
    reasons: [reason],
  };
}

export function times(...factors: readonly Count[]): Count {
  const most = factors.map((factor) => factor.most);
  return {
    least: factors.reduce((product, { least }) => product * least, 1n),
    most: most.includes(0n) ? 0n : combine(most, 1n, (a, b) => a * b),
    text: factors.map(({ text }) => text).join(" × "),
    reasons: reasonsOf(factors),
  };
}

/** A sum. In a product it needs brackets. */
export function plus(terms: readonly Count[], { brackets = false } = {}): Count {
  const text = terms.map((term) => term.text).join(" + ");
  return {
    least: terms.reduce((sum, { least }) => sum + least, 0n),
    most: combine(
      terms.map((term) => term.most),
      0n,
      (a, b) => a + b,
    ),
    text: brackets && terms.length > 1 ? `(${text})` : text,
    reasons: reasonsOf(terms),
  };
}

/** The value in words: `51200`, `at least 40`, `from 40 to 300`. */
export function valueText({ least, most }: Count): string {
  if (least === most) return String(least);
  return most === undefined ? `at least ${least}` : `from ${least} to ${most}`;
}

function combine(
  values: readonly (bigint | undefined)[],
  start: bigint,
  join: (a: bigint, b: bigint) => bigint,
): bigint | undefined {
  return values.reduce<bigint | undefined>(
    (total, value) => (total === undefined || value === undefined ? undefined : join(total, value)),
    start,
  );
}

function reasonsOf(counts: readonly Count[]): string[] {
  return [...new Set(counts.flatMap(({ reasons }) => reasons))];
}
