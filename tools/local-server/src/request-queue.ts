import { ApiError, queueLimits } from "@residua/engine/api";

const retryAfterSeconds = 5;

/** A request's place in the queue. */
interface Place {
  /** Resolves when the request may run; rejects with the signal's reason when that comes first. */
  readonly turn: Promise<void>;
  /** To be called once, when the request is done or given up: lets the next one run. */
  readonly leave: () => void;
}

interface Waiting {
  readonly priority: number;
  readonly start: () => void;
}

/** The requests of one key: so many run, so many wait, in order of priority and then of arrival. */
export class RequestQueue {
  readonly #limits: typeof queueLimits;
  readonly #waiting: Waiting[] = [];
  #running = 0;

  constructor(limits = queueLimits) {
    this.#limits = limits;
  }

  /** Throws ApiError 429 `queue_full` when no more may wait. */
  enter(priority: number, signal: AbortSignal): Place {
    const leave = () => {
      this.#running--;
      this.#waiting.shift()?.start();
    };
    if (this.#running < this.#limits.running) {
      this.#running++;
      return { turn: Promise.resolve(), leave };
    }
    const { running, waiting } = this.#limits;
    if (this.#waiting.length >= waiting) {
      throw new ApiError(
        429,
        "queue_full",
        `${running} requests run and ${waiting} wait, which is all that may; try again in ${retryAfterSeconds} s`,
        retryAfterSeconds,
      );
    }
    let started = false;
    let entry: Waiting;
    const giveUp = () => this.#waiting.splice(this.#waiting.indexOf(entry), 1);
    const turn = new Promise<void>((resolve, reject) => {
      const onAbort = () => {
        giveUp();
        reject(signal.reason as Error);
      };
      entry = {
        priority,
        start: () => {
          started = true;
          this.#running++;
          signal.removeEventListener("abort", onAbort);
          resolve();
        },
      };
      signal.addEventListener("abort", onAbort, { once: true });
      const behind = this.#waiting.findIndex((other) => other.priority > priority);
      this.#waiting.splice(behind < 0 ? this.#waiting.length : behind, 0, entry);
    });
    return { turn, leave: () => started && leave() };
  }
}
