import { likeliest } from "./likeliest.ts";
import { placeOf, type PositionLogprobs } from "./logprobs.ts";

/** The log probabilities of a prompt's tokens, one entry a token, null for the first, which nothing precedes. */
export interface PromptLogprobs extends Iterable<PositionLogprobs | null> {
  readonly length: number;
  /** Makes the entry; throws RangeError beyond the end. */
  at(position: number): PositionLogprobs | null;
  entries(): IterableIterator<[number, PositionLogprobs | null]>;
}

/**
 * Keeps the likeliest tokens of all positions in columns, 6 bytes a candidate (8 beyond 65536 tokens): as
 * objects they would take some twenty times that.
 */
export class PromptLogprobColumns implements PromptLogprobs {
  readonly #prompt: readonly number[];
  readonly #count: number;
  /** [positions, count], as the scores are: a log probability is a score less its position's normaliser. */
  readonly #topTokens: Uint16Array | Uint32Array;
  readonly #topScores: Float32Array;
  readonly #scores: Float32Array;
  readonly #normalisers: Float64Array;
  readonly #ranks: Uint32Array;
  #length = 1;

  /** `count` candidates a position, -1 for the whole vocabulary. */
  constructor(prompt: readonly number[], count: number, vocabSize: number) {
    const positions = prompt.length;
    this.#prompt = prompt;
    this.#count = count === -1 ? vocabSize : Math.min(count, vocabSize);
    const Ids = vocabSize <= 2 ** 16 ? Uint16Array : Uint32Array;
    this.#topTokens = new Ids(positions * this.#count);
    this.#topScores = new Float32Array(positions * this.#count);
    this.#scores = new Float32Array(positions);
    this.#normalisers = new Float64Array(positions);
    this.#ranks = new Uint32Array(positions);
  }

  get length(): number {
    return this.#length;
  }

  /** Adds the next position, from the scores after the token before it. */
  push(scores: Float32Array): void {
    const position = this.#length++;
    const token = this.#prompt[position]!;
    const { normaliser, rank } = placeOf(scores, token);
    this.#scores[position] = scores[token]!;
    this.#normalisers[position] = normaliser;
    this.#ranks[position] = rank;
    const top = likeliest(scores, this.#count);
    const from = position * this.#count;
    this.#topTokens.set(top, from);
    for (let i = 0; i < top.length; i++) this.#topScores[from + i] = scores[top[i]!]!;
  }

  at(position: number): PositionLogprobs | null {
    if (!Number.isInteger(position) || position < 0 || position >= this.#length) {
      throw new RangeError(`position ${position} is not among the ${this.#length} of the prompt`);
    }
    if (position === 0) return null;
    const normaliser = this.#normalisers[position]!;
    const from = position * this.#count;
    const top = Array.from({ length: this.#count }, (_, i) => ({
      token: this.#topTokens[from + i]!,
      logprob: this.#topScores[from + i]! - normaliser,
      rank: i + 1,
    }));
    const logprob = this.#scores[position]! - normaliser;
    return { token: this.#prompt[position]!, logprob, rank: this.#ranks[position]!, top };
  }

  *entries(): IterableIterator<[number, PositionLogprobs | null]> {
    for (let position = 0; position < this.#length; position++) yield [position, this.at(position)];
  }

  *[Symbol.iterator](): Iterator<PositionLogprobs | null> {
    for (const [, entry] of this.entries()) yield entry;
  }
}
