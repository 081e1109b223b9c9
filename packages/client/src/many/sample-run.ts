import type { Journal, JournalEntry } from "../journal/journal.ts";
import type { CompletionRequest } from "../requests/completion-request.ts";
import type { Completion } from "../responses/completion.ts";
import { ResiduaError } from "../residua-error.ts";
import { longestTimer } from "../transport/pause.ts";
import { OutcomeQueue } from "./outcome-queue.ts";
import type { Pace } from "./pace.ts";
import type { ProgressMeter } from "./progress-meter.ts";
import type { SampleOutcome, SampleProgress } from "./sample-many-types.ts";
import type { SamplePlan } from "./sample-plan.ts";
import type { SampleItem, SampleUnit, SettledItem } from "./sample-unit.ts";
import type { StartRate } from "./start-rate.ts";
import { blamesRequest, isBusy, notSent, stopOf } from "./stops-run.ts";
import { unpackCompletion } from "./unpack-completion.ts";

interface RunParts {
  plan: SamplePlan;
  pace: Pace;
  rate: StartRate | undefined;
  meter: ProgressMeter;
  journal: Journal | undefined;
  ordered: boolean;
  /** Units whose outcomes have not all been taken, at most. */
  window: number;
  longestWait: number;
  /** Sends one request; busy answers are thrown at once. */
  send: (request: CompletionRequest, signal: AbortSignal) => Promise<Completion>;
  onProgress: ((progress: SampleProgress) => void) | undefined;
  capSource: SampleProgress["concurrency"]["source"];
}

const firstIndex = ({ items }: SampleUnit): number => items[0]?.index ?? 0;

/** Outcomes of a unit that are not taken yet. */
interface Share {
  left: number;
}

interface Waiting {
  index: number;
  share: Share;
  outcome: SampleOutcome | { entry: JournalEntry; request: CompletionRequest };
}

/**
 * Keeps as many requests in flight as the pace allows. Everything between one answer and the next request is done in the same
 * turn, so that no slot waits for the loop, for the journal, or for another slot.
 */
export class SampleRun {
  readonly #parts: RunParts;
  readonly #queue: OutcomeQueue<Waiting>;
  /** What is in flight, each with what ends it: one signal for all would have a listener for each. */
  readonly #flights = new Map<Promise<void>, AbortController>();
  /** Read from the plan and not sent yet, or to be sent again; lowest index first. */
  readonly #ready: { unit: SampleUnit; share: Share }[] = [];
  #outstanding = 0;
  /** Since when the server has been busy, without an answer in between. */
  #busySince: number | undefined;
  /** Units that were answered and are not on disk yet. A killed run asks for them again, so they are few. */
  #writing = 0;
  #closed = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(parts: RunParts) {
    this.#parts = parts;
    this.#queue = new OutcomeQueue({ ordered: parts.ordered });
  }

  /** Starts what may be started. To be called once at first, and whenever the source has something new. */
  pump(): void {
    if (this.#closed) return;
    try {
      while (this.#fill() && this.#startNext());
      if (this.#outstanding === 0 && this.#parts.plan.ended) this.#queue.end();
    } catch (error) {
      this.fail(error);
    }
  }

  /** The next outcome, or undefined when all were taken. Throws what ended the run. */
  async take(): Promise<SampleOutcome | undefined> {
    const waiting = await this.#queue.take();
    if (waiting === undefined) return undefined;
    const { share, outcome, index } = waiting;
    const taken = "entry" in outcome ? await this.#recall(index, outcome.request, outcome.entry) : outcome;
    if (--share.left === 0) {
      this.#outstanding--;
      this.pump();
    }
    return taken;
  }

  /** Ends the run: `take` throws this, and what is in flight is aborted. */
  fail(error: unknown): void {
    this.#queue.fail(error);
    this.#halt();
  }

  /** Aborts what is in flight and waits until its connections are free. */
  async close(): Promise<void> {
    this.#halt();
    await Promise.all(this.#flights.keys());
  }

  #halt(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    for (const abort of this.#flights.values()) abort.abort();
  }

  /** Sees to it that a unit is ready. Outcomes that need no sending are handed on at once. */
  #fill(): boolean {
    const { plan, window, ordered } = this.#parts;
    while (this.#ready.length === 0) {
      const full = this.#outstanding >= window;
      // In order, all that is in the window may wait for an item that lies in an open pack.
      if (full && !(ordered && this.#flights.size === 0)) return false;
      const next = full ? plan.openPack() : plan.next();
      if (next === undefined) return false;
      this.#outstanding++;
      if (!("items" in next)) this.#settle(next);
      else if (plan.refusal === undefined)
        this.#ready.push({ unit: next, share: { left: next.items.length } });
      else this.#deliverError(next, { left: next.items.length }, notSent(plan.refusal));
    }
    return true;
  }

  #startNext(): boolean {
    const { pace, rate } = this.#parts;
    if (this.#flights.size >= pace.limit || this.#writing >= pace.cap) return false;
    const now = performance.now();
    const wait = Math.max(pace.waitAt(now), rate?.waitAt(now) ?? 0);
    if (wait > 0) {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.pump(), Math.min(Math.ceil(wait), longestTimer));
      return false;
    }
    const ready = this.#ready.shift();
    if (ready === undefined) return false;
    rate?.started(now);
    this.#start(ready.unit, ready.share, now);
    return true;
  }

  #start(unit: SampleUnit, share: Share, started: number): void {
    const { meter, send } = this.#parts;
    meter.sending();
    const abort = new AbortController();
    const flight: Promise<void> = send(unit.request, abort.signal).then(
      (completion) => {
        this.#flights.delete(flight);
        meter.answered(completion.usage);
        this.#answered(unit, share, completion);
      },
      (error: unknown) => {
        this.#flights.delete(flight);
        meter.answered();
        this.#failed(unit, share, { error, started });
      },
    );
    this.#flights.set(flight, abort);
  }

  #answered(unit: SampleUnit, share: Share, completion: Completion): void {
    if (this.#closed) return;
    this.#busySince = undefined;
    this.#parts.pace.succeeded();
    this.#deliver(unit.items, share, unpackCompletion(unit, completion));
    this.pump();
  }

  #failed(unit: SampleUnit, share: Share, { error, started }: { error: unknown; started: number }): void {
    if (this.#closed) return;
    const { pace, plan, longestWait } = this.#parts;
    const now = performance.now();
    const stop = stopOf(error, longestWait);
    if (isBusy(error) && stop === undefined) {
      pace.refused({ started, now, retryAfter: error.retryAfter });
      unit.since ??= started;
      this.#busySince ??= started;
      const since = Math.min(unit.since, this.#busySince);
      if (plan.refusal === undefined && now + pace.waitAt(now) - since <= longestWait) {
        this.#putBack([{ unit, share }]);
        return this.pump();
      }
    }
    if (stop) this.#refuse(stop);
    if (unit.items.length > 1 && blamesRequest(error)) {
      // One of them is at fault: each is asked for itself.
      this.#outstanding += unit.items.length - 1;
      const single = (item: SampleItem) => ({ items: [item], request: item.request, choices: undefined });
      this.#putBack(unit.items.map((item) => ({ unit: single(item), share: { left: 1 } })));
    } else if (error instanceof ResiduaError) this.#deliverError(unit, share, error);
    else this.fail(error);
    this.pump();
  }

  /** What was not sent yet is not sent any more; what is in flight is waited for. */
  #refuse(error: Parameters<SamplePlan["refuse"]>[0]): void {
    this.#parts.plan.refuse(error);
    for (const { unit, share } of this.#ready.splice(0)) this.#deliverError(unit, share, notSent(error));
  }

  #putBack(units: { unit: SampleUnit; share: Share }[]): void {
    this.#ready.push(...units);
    this.#ready.sort((a, b) => firstIndex(a.unit) - firstIndex(b.unit));
  }

  #settle({ index, request, error, entry }: SettledItem): void {
    const share = { left: 1 };
    if (entry !== undefined) this.#hand({ index, share, outcome: { entry, request } }, entry.failed, true);
    else if (error !== undefined) this.#hand({ index, share, outcome: { index, request, error } }, true);
  }

  #deliverError(unit: SampleUnit, share: Share, error: ResiduaError): void {
    const outcomes = unit.items.map(({ index, request }) => ({ index, request, error }));
    this.#deliver(unit.items, share, outcomes);
  }

  /** To the journal first, where there is one: what is handed out is on disk. */
  #deliver(items: readonly SampleItem[], share: Share, outcomes: readonly SampleOutcome[]): void {
    const hand = () => {
      for (const outcome of outcomes)
        this.#hand({ index: outcome.index, share, outcome }, outcome.error !== undefined);
    };
    const { journal } = this.#parts;
    if (journal === undefined) return hand();
    const lines = outcomes.map((outcome, i) => ({ outcome, key: items[i]?.key ?? "" }));
    this.#writing++;
    journal.append(lines).then(
      () => {
        this.#writing--;
        hand();
        this.pump();
      },
      (error: unknown) => this.fail(error),
    );
  }

  #hand(waiting: Waiting, failed: boolean, resumed = false): void {
    if (this.#closed) return;
    const { meter, onProgress } = this.#parts;
    const now = performance.now();
    meter.settled({ failed, resumed }, now);
    this.#queue.push(waiting);
    try {
      onProgress?.(this.progress(now));
    } catch (error) {
      this.fail(error);
    }
  }

  progress(now = performance.now()): SampleProgress {
    const { meter, pace, capSource } = this.#parts;
    return meter.at(now, { now: pace.limit, cap: pace.cap, source: capSource });
  }

  async #recall(index: number, request: CompletionRequest, entry: JournalEntry): Promise<SampleOutcome> {
    return { index, request, resumed: true, ...(await entry.read(request)) };
  }
}
