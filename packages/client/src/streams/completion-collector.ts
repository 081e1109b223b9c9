import { asCompletion, type Choice, type Completion, type Usage } from "../responses/completion.ts";
import { ChoiceCollector } from "./choice-collector.ts";
import type { CompletionChunk } from "./completion-chunk.ts";

/** How many choices a request asked for: n for each prompt. Choice i of prompt p has the index p * n + i. */
export interface Shape {
  prompts: number;
  n: number;
}

/**
 * Puts a completion together from its chunks. Text, token ids, reasons and usage are always kept: they are small. Log
 * probabilities can be a hundred times the text, so they are kept only on request.
 */
export class CompletionCollector {
  /** Set before reading starts. */
  keepLogprobs = false;
  /** Chunks taken. */
  chunks = 0;
  readonly #choices = new Map<number, ChoiceCollector>();
  readonly #fields: Record<string, unknown> = {};
  #usage: Usage | undefined;
  #carriers = 0;
  #lastCarried: Usage | undefined;

  add(chunk: CompletionChunk): void {
    this.chunks++;
    const { choices, usage } = chunk;
    for (const choice of choices) this.#of(choice.index).add(choice, this.keepLogprobs);
    if (usage !== null && usage !== undefined) this.#addUsage(usage, choices);
    const fields = this.#fields;
    for (const field in chunk) {
      if (field === "choices" || field === "usage") continue;
      const value = chunk[field];
      if (value !== null && value !== undefined) fields[field] = value;
      else fields[field] ??= null;
    }
  }

  /** What came of a choice; undefined when nothing did. */
  choice(index: number): ChoiceCollector | undefined {
    return this.#choices.get(index);
  }

  /** Log probabilities came and were not kept. */
  get dropped(): boolean {
    return [...this.#choices.values()].some(({ dropped }) => dropped);
  }

  /** One more than the highest index that came. */
  get width(): number {
    return Math.max(-1, ...this.#choices.keys()) + 1;
  }

  /**
   * Tokens of the whole request. A chunk without choices says it. Otherwise, when only one chunk told usage, it is what that
   * chunk said; when several did, they told running totals of their choices (`continuous_usage_stats`), whose last ones
   * are added up, a prompt's tokens once for its n choices.
   */
  usage({ n }: Shape): Usage | undefined {
    if (this.#usage !== undefined || this.#carriers < 2) return this.#usage ?? this.#lastCarried;
    const prompts = new Map<number, number>();
    let completion_tokens = 0;
    for (const [index, { usage }] of this.#choices) {
      prompts.set(Math.floor(index / n), usage?.prompt_tokens ?? 0);
      completion_tokens += usage?.completion_tokens ?? 0;
    }
    const prompt_tokens = [...prompts.values()].reduce((sum, tokens) => sum + tokens, 0);
    return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
  }

  /** The answer's body as if it had not been streamed, with the choices that came, in index order. */
  collected(shape: Shape): Record<string, unknown> & { choices: Choice[] } {
    const indices = [...this.#choices.keys()].sort((a, b) => a - b);
    const choices = indices.map((index) => this.#of(index).collected(index));
    return { ...this.#fields, choices, usage: this.usage(shape) ?? null };
  }

  /** The completion as far as it came: every choice that was asked for, also those of which nothing came. */
  partial(shape: Shape): Completion {
    const body = this.collected(shape);
    const choices = Array.from({ length: shape.prompts * shape.n }, (_, index) => {
      const blank = { index, text: "", finish_reason: null };
      return this.#choices.get(index)?.collected(index) ?? blank;
    });
    return asCompletion({ id: "", model: "", ...body, choices }, shape)!;
  }

  #of(index: number): ChoiceCollector {
    let choice = this.#choices.get(index);
    if (choice === undefined) this.#choices.set(index, (choice = new ChoiceCollector()));
    return choice;
  }

  #addUsage(usage: Usage, choices: readonly Choice[]): void {
    if (choices.length === 0) {
      this.#usage = usage;
      return;
    }
    this.#carriers++;
    this.#lastCarried = usage;
    for (const { index } of choices) this.#of(index).usage = usage;
  }
}
