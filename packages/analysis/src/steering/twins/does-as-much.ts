/** Means of like numbers differ by less than this, relatively and in absolute, when they differ by the order of their sums alone. */
const relative = 1e-9;
const sumRounding = 1e-12;

/** Whether `one` is as large as `other` or larger; what differs by rounding alone (`rounding`: in absolute) is as large. */
export function doesAsMuch(one: number, other: number, rounding = sumRounding): boolean {
  return one >= other - Math.max(rounding, relative * Math.max(Math.abs(one), Math.abs(other)));
}
