import { longestTimer } from "./pause.ts";
import { unwatch, watch, type Watcher } from "./signal-watch.ts";

/** Milliseconds that parts of one try may take. */
export interface TimeLimits {
  /** Until a connection stands. */
  connect: number;
  /** From then until the answer's headers are there. */
  headers: number;
  /** The longest silence between two pieces of the body. */
  body: number;
  /** The whole try, a stream's body included. */
  total: number;
}

/** Waiting for one of the pool's connections has no limit of its own. */
type Phase = "queue" | "connect" | "headers" | "body";

/** A timer this late was held up with everything else: the answer may lie unread in the socket, so that is read first. */
const heldUp = 250;
const grace = 50;

/** The limits of one try and the caller's signal as one. It holds at most one timer, and none once it has stopped. */
export class TryClock implements Watcher {
  /** What ended the try: the signal, or the limit that ran out. */
  ended: "aborted" | keyof TimeLimits | undefined;
  readonly limits: TimeLimits;
  /** Set by the transport: stops the request at once. */
  onEnd: (() => void) | undefined;
  readonly #signal: AbortSignal | undefined;
  readonly #totalEnds: number;
  #phase: Phase = "queue";
  #phaseEnds = Infinity;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #due = Infinity;
  #excused = false;
  #stopped = false;

  constructor(limits: TimeLimits, signal: AbortSignal | undefined) {
    this.limits = limits;
    this.#signal = signal;
    this.#totalEnds = performance.now() + limits.total;
    this.#arm(this.#totalEnds);
    if (signal) watch(signal, this);
    if (signal?.aborted) this.#end("aborted");
  }

  /** The next part of the try begins. */
  enter(phase: Exclude<Phase, "queue">): void {
    if (this.#stopped) return;
    this.#phase = phase;
    this.#phaseEnds = performance.now() + this.limits[phase];
    if (this.#phaseEnds < this.#due) this.#arm(this.#phaseEnds);
  }

  /** Bytes of the body have come, or are waited for again. */
  heard(): void {
    this.enter("body");
  }

  /** Nobody waits for the body, so its silence does not count. */
  rest(): void {
    this.#phaseEnds = Infinity;
  }

  /** The try is over; nothing is left on a signal that lives long. */
  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.onEnd = undefined;
    if (this.#signal) unwatch(this.#signal, this);
  }

  aborted(): void {
    this.#end("aborted");
  }

  #arm(at: number): void {
    clearTimeout(this.#timer);
    this.#due = at;
    const wait = Math.min(Math.max(0, at - performance.now()), longestTimer);
    this.#timer = setTimeout(() => this.#check(), wait);
  }

  #check(): void {
    const now = performance.now();
    const late = now - this.#due;
    if (late > heldUp && !this.#excused) {
      this.#excused = true;
      this.#arm(now + grace);
    } else if (now >= this.#totalEnds) this.#end("total");
    else if (now >= this.#phaseEnds && this.#phase !== "queue") this.#end(this.#phase);
    else this.#arm(Math.min(this.#totalEnds, this.#phaseEnds));
  }

  #end(by: "aborted" | keyof TimeLimits): void {
    if (this.ended !== undefined) return;
    this.ended = by;
    const { onEnd } = this;
    this.stop();
    onEnd?.();
  }
}
