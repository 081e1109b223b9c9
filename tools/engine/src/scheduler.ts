import { setImmediate as nextTurn } from "node:timers/promises";
import { EngineError } from "./engine-error.ts";
import { forward, type Network } from "./forward.ts";
import { checkRequest, type Generation, type GenerationRequest } from "./generation-request.ts";
import { Job, type Piece, type WorkCounters } from "./job.ts";
import { PrefixCache } from "./prefix-cache.ts";
import type { Tokenizer } from "./tokenizer.ts";
import { matrixParameters } from "./weights.ts";

/** What one pass, and all requests under way together, may take. */
export interface SchedulerLimits {
  /** Prompt tokens a pass. */
  readonly passTokens: number;
  /** Choices that decode at the same time. */
  readonly sequences: number;
  /** Bytes of key-value cache that all requests under way hold, and the prefix cache beside them. */
  readonly cacheBytes: number;
  /** Of these, the most that the prefix cache takes; it gives way to requests. 0 for none. */
  readonly prefixBytes: number;
}

/** Multiplications a pass may take: long enough to be efficient, short enough to let others in. */
const passWork = 5e9;
/** Scores (rows × vocabulary) of a prompt that a pass may hold. */
const passScores = 8e6;

export function defaultLimits({ config }: Network): SchedulerLimits {
  const passTokens = Math.min(512, Math.max(32, Math.round(passWork / matrixParameters(config))));
  return { passTokens, sequences: 128, cacheBytes: 1024 ** 3, prefixBytes: 1024 ** 3 / 4 };
}

/** What a model does now, and what it has done since it was loaded. */
export interface EngineStats extends Readonly<WorkCounters> {
  /** Requests that have not begun. */
  readonly waiting: number;
  /** Requests under way. */
  readonly active: number;
  /** Bytes that the prefix cache holds. */
  readonly prefixBytes: number;
}

interface Entry {
  readonly request: GenerationRequest;
  readonly resolve: (generation: Generation) => void;
  readonly reject: (reason: unknown) => void;
  job: Job | null;
  /** Order of arrival. */
  readonly arrival: number;
}

/**
 * Runs all requests that are under way together: each pass takes one token of every running choice and
 * as much of the waiting prompts as fits, so a request joins at the next pass and leaves when it is
 * done. Priority, then order of arrival decide whose prompt and choices start: nobody overtakes who is
 * before them. Between two passes the event loop gets a turn.
 */
export class Scheduler {
  readonly #network: Network;
  readonly #tokenizer: Tokenizer;
  readonly #limits: SchedulerLimits;
  readonly #waiting: Entry[] = [];
  readonly #active = new Set<Entry>();
  readonly #counters: WorkCounters = {
    promptTokens: 0,
    generatedTokens: 0,
    prefixQueries: 0,
    prefixHits: 0,
  };
  readonly #prefix: PrefixCache | null;
  #loop: Promise<void> | null = null;
  #closed = false;
  #arrivals = 0;

  constructor(network: Network, tokenizer: Tokenizer, limits = defaultLimits(network)) {
    this.#network = network;
    this.#tokenizer = tokenizer;
    this.#limits = limits;
    this.#prefix = limits.prefixBytes === 0 ? null : new PrefixCache(network.config, limits.prefixBytes);
  }

  get stats(): EngineStats {
    return {
      waiting: this.#waiting.length,
      active: this.#active.size,
      prefixBytes: this.#prefix?.bytes ?? 0,
      ...this.#counters,
    };
  }

  /** Resolves when the request is done; rejects with EngineRequestError or the signal's reason. */
  submit(request: GenerationRequest): Promise<Generation> {
    return new Promise((resolve, reject) => {
      if (this.#closed) throw new EngineError("model_disposed", "the model was disposed; load it again");
      checkRequest(request, this.#network.config);
      request.signal?.throwIfAborted();
      this.#waiting.push({ request, resolve, reject, job: null, arrival: this.#arrivals++ });
      this.#loop ??= this.#run();
    });
  }

  /** Refuses what is still to come, ends what is under way, and waits for the pass that runs. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const entry of [...this.#waiting, ...this.#active]) {
      this.#end(entry, () =>
        entry.reject(new EngineError("model_disposed", "the model was disposed meanwhile")),
      );
    }
    await this.#loop;
    this.#prefix?.clear();
  }

  #end(entry: Entry, settle: () => void): void {
    const index = this.#waiting.indexOf(entry);
    if (index >= 0) this.#waiting.splice(index, 1);
    this.#active.delete(entry);
    settle();
  }

  async #run(): Promise<void> {
    // One turn first, so that requests of the same moment share their first pass.
    await nextTurn();
    while (this.#waiting.length > 0 || this.#active.size > 0) {
      this.#dropAborted();
      this.#admit();
      const { cacheBytes, prefixBytes } = this.#limits;
      this.#prefix?.limit(Math.min(prefixBytes, Math.max(0, cacheBytes - this.#held())));
      const begun = performance.now();
      this.#pass();
      await turnsAfter(performance.now() - begun);
    }
    this.#loop = null;
  }

  /** Looked at between passes, when a request can end: a listener for each would only be told sooner. */
  #dropAborted(): void {
    for (const entry of [...this.#waiting, ...this.#active]) {
      const { signal } = entry.request;
      if (signal?.aborted === true) this.#end(entry, () => entry.reject(signal.reason));
    }
  }

  /** Bytes of key-value cache that the requests under way hold. */
  #held(): number {
    return [...this.#active].reduce(
      (sum, { request, job }) => sum + Job.bytes(request, this.#network) * Math.max(1, job!.sequences),
      0,
    );
  }

  #admit(): void {
    let held = this.#held();
    let sequences = [...this.#active].reduce((sum, { job }) => sum + Math.max(1, job!.sequences), 0);
    const fits = (bytes: number) =>
      sequences < this.#limits.sequences && held + bytes <= this.#limits.cacheBytes;
    for (const entry of inOrder([...this.#active, ...this.#waiting])) {
      const bytes = Job.bytes(entry.request, this.#network);
      if (entry.job === null) {
        if (this.#active.size > 0 && !fits(bytes)) return;
        this.#waiting.splice(this.#waiting.indexOf(entry), 1);
        entry.job = new Job(entry.request, this.#network, this.#tokenizer, this.#counters, this.#prefix);
        this.#active.add(entry);
        held += bytes;
        sequences++;
      }
      const { job } = entry;
      while (this.#active.has(entry) && job.startable > 0) {
        // The first choice has its place already; a request never waits for itself.
        if (job.sequences > 0) {
          if (!fits(bytes)) return;
          held += bytes;
          sequences++;
        }
        this.#guard(entry, () => job.startChoice());
      }
    }
  }

  #pass(): void {
    const pieces: { piece: Piece; entry: Entry }[] = [];
    let room = this.#limits.passTokens;
    for (const entry of this.#active) {
      for (const piece of entry.job!.decodePieces()) pieces.push({ piece, entry });
    }
    const scoreRows = Math.max(1, Math.floor(passScores / this.#network.config.vocabSize));
    for (const entry of inOrder([...this.#active])) {
      if (room === 0) break;
      const scored = entry.request.promptLogprobs !== undefined;
      const piece = entry.job!.promptPiece(scored ? Math.min(room, scoreRows) : room);
      if (piece === null) continue;
      room -= piece.segment.tokens.length;
      pieces.push({ piece, entry });
    }
    if (pieces.length > 0) {
      try {
        const scores = forward(
          this.#network,
          pieces.map(({ piece }) => piece.segment),
        );
        pieces.forEach(({ piece, entry }, i) => {
          if (this.#active.has(entry)) this.#guard(entry, () => piece.accept(scores[i]!));
        });
      } catch (cause) {
        const error = new EngineError("pass_failed", "a pass through the model failed", {}, { cause });
        for (const { entry } of pieces)
          if (this.#active.has(entry)) this.#end(entry, () => entry.reject(error));
      }
    }
    for (const entry of this.#active) {
      if (entry.job!.finished) this.#end(entry, () => entry.resolve(entry.job!.result()));
    }
  }

  /** A request's own fault ends that request alone. */
  #guard(entry: Entry, action: () => void): void {
    try {
      action();
    } catch (error) {
      this.#end(entry, () => entry.reject(error));
    }
  }
}

/**
 * Turns of the event loop after a pass of so many milliseconds: the system hands over one new connection a turn, and
 * many can have come during a long pass.
 */
async function turnsAfter(passTime: number): Promise<void> {
  for (let turns = Math.min(32, Math.max(1, Math.ceil(passTime / 2))); turns > 0; turns--) await nextTurn();
}

/** By priority, a lower number first, and those of equal priority by arrival. */
function inOrder(entries: Entry[]): Entry[] {
  return entries.sort(
    (a, b) => (a.request.priority ?? 0) - (b.request.priority ?? 0) || a.arrival - b.arrival,
  );
}
