const minute = 60_000;

/**
 * Spreads starts so that at most `perMinute` fall in any 60 seconds. Any `burst` starts (what a second's worth is, at least
 * one) take at least burst × 60 s / (perMinute − burst + 1); then k starts within a minute give
 * ⌊(k − 1) / burst⌋ < (perMinute − burst + 1) / burst, so k ≤ perMinute.
 */
export class StartRate {
  readonly #starts: number[];
  readonly #spacing: number;
  #next = 0;

  constructor(perMinute: number) {
    const burst = Math.max(1, Math.ceil(perMinute / 60));
    this.#starts = new Array<number>(burst).fill(-Infinity);
    this.#spacing = (burst * minute) / (perMinute - burst + 1);
  }

  /** Milliseconds until the next may start. */
  waitAt(now: number): number {
    return Math.max(0, (this.#starts[this.#next] ?? 0) + this.#spacing - now);
  }

  started(now: number): void {
    this.#starts[this.#next] = now;
    this.#next = (this.#next + 1) % this.#starts.length;
  }
}
