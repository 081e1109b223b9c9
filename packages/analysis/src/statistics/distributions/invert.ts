/** The x of `[low, high]` at which an ascending function reaches `target`, by bisection to the last bit. */
export function invert(ascending: (x: number) => number, target: number, low: number, high: number): number {
  for (;;) {
    const middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) return middle;
    if (ascending(middle) < target) low = middle;
    else high = middle;
  }
}
