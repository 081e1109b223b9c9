export interface CollectProgress {
  /** Examples that are through: their rows are in order, on disk or in hand, or their failure is recorded. */
  done: number;
  total: number;
  /** Of those, how many an earlier run had captured, here or in a folder of `reuse`. */
  reused: number;
  /** Of those, how many failed. */
  failed: number;
  rows: number;
  /** Finished shards. */
  shards: number;
  /** Examples captured a second in this run; null before the first one. */
  perSecond: number | null;
  /** At that rate; null before the first one. */
  secondsLeft: number | null;
}

/** The rate and the rest of a run that works at an even pace. */
export class Pace {
  readonly #now: () => number;
  readonly #began: number;
  #count = 0;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#began = now();
  }

  /** One more was captured in this run. */
  tick(): void {
    this.#count++;
  }

  /** `left`: how many there are still to capture. */
  read(left: number): Pick<CollectProgress, "perSecond" | "secondsLeft"> {
    const seconds = (this.#now() - this.#began) / 1000;
    if (this.#count === 0 || seconds <= 0) return { perSecond: null, secondsLeft: left === 0 ? 0 : null };
    const perSecond = this.#count / seconds;
    return { perSecond, secondsLeft: left / perSecond };
  }
}
