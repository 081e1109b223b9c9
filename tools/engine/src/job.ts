import { chooseBest } from "./choose-best.ts";
import { EngineRequestError } from "./engine-error.ts";
import { withoutFirstRows } from "./faults.ts";
import type { Network, Segment } from "./forward.ts";
import type { GeneratedChoice, Generation, GenerationRequest } from "./generation-request.ts";
import { interventionEdits, planInterventions } from "./interventions.ts";
import { createKvCache, forkKvCache, kvCacheBytes, type KvCache } from "./kv-cache.ts";
import type { PrefixCache } from "./prefix-cache.ts";
import { PromptLogprobColumns } from "./prompt-logprobs.ts";
import { randomSeed } from "./random.ts";
import { requestPrefix, type RequestPrefix } from "./request-prefix.ts";
import { recordResidual, type ResidualRecorder } from "./residual-capture.ts";
import { createSequence, type Sequence } from "./sequence.ts";
import { planSteering, steeringEdits } from "./steering.ts";
import type { Tokenizer } from "./tokenizer.ts";

/** A part of a pass and what to do with its scores. */
export interface Piece {
  readonly segment: Segment;
  accept(scores: Float32Array): void;
}

/** Work done, in tokens: a scheduler counts that of all its requests. */
export interface WorkCounters {
  promptTokens: number;
  generatedTokens: number;
  /** Prompt tokens that were looked for in the prefix cache. */
  prefixQueries: number;
  /** Prompt tokens that were found there, and so not run. */
  prefixHits: number;
}

/** One request under way: its prompt's pass, then its choices, each a sequence of its own. */
export class Job {
  readonly request: GenerationRequest;
  readonly #network: Network;
  readonly #tokenizer: Tokenizer;
  readonly #counters: WorkCounters;
  readonly #edits: Pick<Segment, "steering" | "interventions" | "faults">;
  readonly #recorder: ResidualRecorder | null;
  readonly #promptLogprobs: PromptLogprobColumns | null;
  readonly #promptTokens: ReadonlySet<number>;
  readonly #seed: number;
  readonly #candidates: number;
  readonly #capacity: number;
  #promptCache: KvCache | null;
  #promptRun = 0;
  readonly #prefix: RequestPrefix | null;
  #cachedTokens: number | null = null;
  #firstScores: Float32Array | null = null;
  #started = 0;
  readonly #running = new Set<Sequence>();
  readonly #choices: GeneratedChoice[] = [];
  readonly #totals: number[] = [];

  constructor(
    request: GenerationRequest,
    network: Network,
    tokenizer: Tokenizer,
    counters: WorkCounters,
    prefix: PrefixCache | null,
  ) {
    const { prompt, maxTokens, capture, promptLogprobs, steering = [], interventions = [], faults } = request;
    const { config } = network;
    this.request = request;
    this.#network = network;
    this.#tokenizer = tokenizer;
    this.#counters = counters;
    this.#candidates = request.bestOf ?? request.n ?? 1;
    this.#seed = request.seed ?? randomSeed();
    this.#promptTokens = new Set(prompt);
    this.#capacity = prompt.length + maxTokens - 1;
    const steeringPlan = steering.length === 0 ? null : planSteering(steering, config.hiddenSize);
    const interventionPlan = interventions.length === 0 ? null : planInterventions(interventions);
    this.#edits = { steering: steeringPlan, interventions: interventionPlan, faults };
    this.#recorder =
      capture === undefined ? null : recordResidual(capture, this.#capacity, config.hiddenSize);
    this.#promptLogprobs =
      promptLogprobs === undefined
        ? null
        : new PromptLogprobColumns(prompt, promptLogprobs, config.vocabSize);
    this.#promptCache = createKvCache(config, this.#candidates === 1 ? this.#capacity : prompt.length);
    this.#prefix =
      prefix &&
      requestPrefix(prefix, request, [
        ...(steeringPlan === null ? [] : steeringEdits(steeringPlan)),
        ...(interventionPlan === null ? [] : interventionEdits(interventionPlan)),
      ]);
  }

  /** Bytes of cache that one choice of a request takes. */
  static bytes(request: GenerationRequest, network: Network): number {
    return kvCacheBytes(network.config, request.prompt.length + request.maxTokens - 1);
  }

  get finished(): boolean {
    return this.#started === this.#candidates && this.#running.size === 0;
  }

  get sequences(): number {
    return this.#running.size;
  }

  /** Choices that could start now: their prompt is run. */
  get startable(): number {
    return this.#firstScores === null ? 0 : this.#candidates - this.#started;
  }

  /** Starts the next choice from the scores after the prompt. */
  startChoice(): void {
    const { config } = this.#network;
    const cache = this.#promptCache!;
    const positions = this.request.prompt.length;
    // A single choice goes on in the cache of its prompt.
    const own = this.#candidates === 1 ? cache : forkKvCache(cache, config, positions, this.#capacity);
    const sequence = createSequence({
      request: this.request,
      promptTokens: this.#promptTokens,
      seed: this.#seed,
      index: this.#started++,
      cache: own,
      config,
      tokenizer: this.#tokenizer,
    });
    const scores = this.#firstScores!;
    if (this.#started === this.#candidates) {
      this.#promptCache = null;
      this.#firstScores = null;
    }
    this.#running.add(sequence);
    this.#take(sequence, scores);
  }

  /** The next part of the prompt, of at most `budget` tokens; null when all of it is run. */
  promptPiece(budget: number): Piece | null {
    const { prompt, promptLogprobs } = this.request;
    this.#cachedTokens ??= this.#readPrefix();
    const start = this.#promptRun;
    const tokens = prompt.slice(start, start + budget);
    if (tokens.length === 0) return null;
    const end = start + tokens.length;
    const last = end === prompt.length;
    return {
      segment: {
        tokens,
        start,
        cache: this.#promptCache!,
        recorder: this.#recorder,
        ...this.#edits,
        logits: promptLogprobs !== undefined ? "all" : last ? "last" : "none",
      },
      accept: (scores) => {
        this.#promptRun = end;
        this.#counters.promptTokens += tokens.length;
        this.#prefix?.write(prompt.slice(0, end), this.#promptCache!);
        const vocab = this.#network.config.vocabSize;
        if (this.#promptLogprobs !== null) {
          for (let i = 0; i < tokens.length && start + i + 1 < prompt.length; i++) {
            const row = scores.subarray(i * vocab, (i + 1) * vocab);
            this.#checkFinite(row, start + i);
            this.#promptLogprobs.push(row);
          }
        }
        if (!last) return;
        // A copy: the row must not keep the scores of the whole pass alive.
        this.#firstScores = scores.slice(scores.length - vocab);
        this.request.onPrompt?.(this.#promptLogprobs);
      },
    };
  }

  /** One token for every running choice. */
  decodePieces(): Piece[] {
    return Array.from(this.#running, (sequence) => ({
      segment: {
        tokens: [sequence.tokens.at(-1)!],
        start: this.request.prompt.length + sequence.tokens.length - 1,
        cache: sequence.cache,
        recorder: this.#recorder,
        ...this.#edits,
        logits: "last" as const,
      },
      accept: (scores: Float32Array) => this.#take(sequence, scores),
    }));
  }

  result(): Generation {
    const positions = this.request.prompt.length + (this.#choices[0]?.tokens.length ?? 1) - 1;
    const { n = 1 } = this.request;
    const cachedTokens = this.#cachedTokens ?? 0;
    const capture = this.#recorder?.finish(positions) ?? null;
    return {
      choices: this.#candidates > n ? chooseBest(this.#choices, this.#totals, n) : this.#choices,
      promptLogprobs: this.#promptLogprobs,
      capture: capture && withoutFirstRows(capture, cachedTokens),
      cachedTokens,
    };
  }

  #readPrefix(): number {
    if (this.#prefix?.reads !== true) return 0;
    const found = this.#prefix.read(this.#promptCache!);
    this.#promptRun = found;
    this.#counters.prefixQueries += this.request.prompt.length;
    this.#counters.prefixHits += found;
    return found;
  }

  #take(sequence: Sequence, scores: Float32Array): void {
    this.#checkFinite(scores, this.request.prompt.length + sequence.tokens.length - 1);
    this.#counters.generatedTokens++;
    const choice = sequence.take(scores);
    if (choice === null) return;
    this.#choices[sequence.index] = choice;
    this.#totals[sequence.index] = sequence.totalLogprob;
    this.#prefix?.write([...this.request.prompt, ...choice.tokens.slice(0, -1)], sequence.cache);
    this.#running.delete(sequence);
  }

  #checkFinite(scores: Float32Array, position: number): void {
    // 0 × ∞ and 0 × NaN are NaN, and stay so in a sum.
    let zero = 0;
    for (let i = 0; i < scores.length; i++) zero += 0 * scores[i]!;
    if (zero === 0) return;
    const steered = this.#edits.steering !== null || !this.#edits.interventions;
    const [field, reason] = steered
      ? ["steering", "the steering is too strong; lower its scale"]
      : ["interventions", "an intervention is too strong; clamp to a lower value"];
    throw new EngineRequestError(
      "not_finite",
      `the scores after position ${position} are not finite: ${reason}`,
      { field, position },
    );
  }
}
