import { round } from "./svg-text.ts";

/** The lower end of an axis of scores that ends at 1, and its ticks: every tenth, or every second one where these are many. */
export function scoreTicks(lowest: number): { floor: number; ticks: number[] } {
  // R² has no floor: what is far worse than a guess is cut, not drawn.
  const floor = Math.max(-1, Math.floor(10 * lowest) / 10);
  const steps = Math.round((1 - floor) * 10);
  const ticks = Array.from({ length: steps + 1 }, (_, index) => round(floor + index / 10)).filter(
    (_, index) => steps <= 10 || (steps - index) % 2 === 0,
  );
  return { floor, ticks };
}
