import type { Backoff } from "../transport/retry-policy.ts";

/**
 * How many requests may be in flight, and from when. A busy answer halves the number, once for all requests that were under
 * way at the time; each answer after that raises it by 1 / number, so by one a round, up to the cap (AIMD, as TCP does).
 */
export class Pace {
  readonly cap: number;
  readonly #backoff: Backoff;
  readonly #random: () => number;
  #limit: number;
  #pausedUntil = 0;
  #lowered = -Infinity;
  #storms = 0;

  constructor(cap: number, backoff: Backoff, random: () => number = Math.random) {
    this.cap = cap;
    this.#limit = cap;
    this.#backoff = backoff;
    this.#random = random;
  }

  /** In flight at most. */
  get limit(): number {
    return Math.max(1, Math.floor(this.#limit));
  }

  /** Milliseconds for which nothing may be started. */
  waitAt(now: number): number {
    return Math.max(0, this.#pausedUntil - now);
  }

  succeeded(): void {
    this.#storms = 0;
    this.#limit = Math.min(this.cap, this.#limit + 1 / this.#limit);
  }

  /** `started`: when the request that was refused was sent. `retryAfter` in seconds pauses all; without it, a back-off does. */
  refused({
    started,
    now,
    retryAfter,
  }: {
    started: number;
    now: number;
    retryAfter: number | undefined;
  }): void {
    if (started >= this.#lowered) {
      this.#lowered = now;
      this.#limit = Math.max(1, this.#limit / 2);
      this.#storms++;
      if (retryAfter === undefined) this.#pauseUntil(now + this.#backOff());
    }
    if (retryAfter !== undefined) this.#pauseUntil(now + retryAfter * 1000);
  }

  #backOff(): number {
    const { first, longest } = this.#backoff;
    return Math.min(longest, first * 2 ** Math.min(30, this.#storms - 1)) * (1 - 0.25 * this.#random());
  }

  #pauseUntil(time: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, time);
  }
}
