import type { Usage } from "../responses/completion.ts";
import type { SampleProgress } from "./sample-many-types.ts";

/** Milliseconds over which rates are taken, and between the marks that are kept for them. */
const span = 30_000;
const spacing = 500;

interface Mark {
  time: number;
  done: number;
  tokens: number;
}

/** Counts what a run does. */
export class ProgressMeter {
  readonly #start: number;
  readonly #total: number | undefined;
  readonly #marks: Mark[];
  #done = 0;
  #failed = 0;
  #resumed = 0;
  #sent = 0;
  #inFlight = 0;
  #tokens = { prompt: 0, completion: 0 };

  constructor(total: number | undefined, now: number) {
    this.#total = total;
    this.#start = now;
    this.#marks = [{ time: now, done: 0, tokens: 0 }];
  }

  sending(): void {
    this.#sent++;
    this.#inFlight++;
  }

  answered(usage?: Usage | null): void {
    this.#inFlight--;
    this.#tokens.prompt += usage?.prompt_tokens ?? 0;
    this.#tokens.completion += usage?.completion_tokens ?? 0;
  }

  settled({ failed, resumed }: { failed: boolean; resumed: boolean }, now: number): void {
    this.#done++;
    if (failed) this.#failed++;
    if (resumed) this.#resumed++;
    const fresh = this.#done - this.#resumed;
    const last = this.#marks.at(-1);
    if (last !== undefined && now - last.time < spacing) return;
    this.#marks.push({ time: now, done: fresh, tokens: this.#tokens.completion });
    while ((this.#marks[1]?.time ?? now) < now - span) this.#marks.shift();
  }

  /** What the caller sees. */
  at(now: number, concurrency: SampleProgress["concurrency"]): SampleProgress {
    const [first = { time: this.#start, done: 0, tokens: 0 }] = this.#marks;
    const seconds = Math.max(1e-3, (now - first.time) / 1000);
    const requests = (this.#done - this.#resumed - first.done) / seconds;
    const left = this.#total === undefined ? undefined : Math.max(0, this.#total - this.#done);
    return {
      done: this.#done,
      failed: this.#failed,
      resumed: this.#resumed,
      sent: this.#sent,
      inFlight: this.#inFlight,
      total: this.#total,
      tokens: { ...this.#tokens },
      rates: { requests, tokens: (this.#tokens.completion - first.tokens) / seconds },
      elapsed: (now - this.#start) / 1000,
      eta: left === 0 ? 0 : left === undefined || requests === 0 ? undefined : left / requests,
      concurrency,
    };
  }
}
