import { canonicalJSON } from "../journal/canonical-json.ts";
import type { CompletionRequest } from "../requests/completion-request.ts";
import { applyRules } from "../requests/check-request.ts";
import type { Endpoint } from "../requests/endpoints/endpoint.ts";
import type { SampleItem, SampleUnit } from "./sample-unit.ts";

/** Consecutive items of one prompt. */
interface PromptRun {
  prompt: string | number[];
  items: SampleItem[];
}

/** Where a server states no limit. */
const mostChoices = 1024;

/**
 * Gathers consecutive items into packs: a pack is one request with P prompts × (r · n) choices, where each of the P prompts
 * stands r times in a row in the list. Choice i of a prompt has the seed + i (as vLLM counts, and as its n = 2 with seed 7 gives
 * the singles of seeds 7 and 8), and every prompt has the same seeds, so only items whose seeds are so are packed.
 */
export class Packer {
  readonly #endpoint: Endpoint;
  readonly #mostItems: number;
  readonly #alone: readonly string[];
  readonly #full: SampleUnit[] = [];
  #template: string | undefined;
  #runs: PromptRun[] = [];
  #count = 0;

  /** What the fields that the profile does not know mean is not known, so a request with one of them stays alone. */
  constructor(endpoint: Endpoint, mostItems = Infinity, extraFields: readonly string[] = []) {
    // What holds for each item holds for the pack; looking again at every token of every prompt would take long.
    this.#endpoint = { ...endpoint, rules: endpoint.rules.filter(({ perPrompt }) => perPrompt !== true) };
    this.#mostItems = mostItems;
    this.#alone = [...alone, ...extraFields];
  }

  get empty(): boolean {
    return this.#count === 0 && this.#full.length === 0;
  }

  add(item: SampleItem): void {
    const template = templateOf(item.request, this.#alone);
    if (template === undefined) {
      this.#cut();
      this.#full.push(single(item));
      return;
    }
    if (this.#count > 0 && (template !== this.#template || !this.#takes(item))) {
      this.#cutForNext(item, template);
    }
    this.#template = template;
    this.#put(item);
  }

  takeFull(): SampleUnit | undefined {
    return this.#full.shift();
  }

  takeRest(): SampleUnit | undefined {
    this.#cut();
    return this.takeFull();
  }

  /** Whether the open pack can hold this too. */
  #takes({ request }: SampleItem): boolean {
    if (this.#count >= this.#mostItems) return false;
    const [first] = this.#runs;
    const last = this.#runs.at(-1);
    const start = first?.items[0]?.request;
    if (first === undefined || last === undefined || start === undefined) return true;
    const stacked = stacks(request) && samePrompt(last.prompt, request.prompt);
    const slot = stacked ? last.items.length : 0;
    const each = first.items.length;
    // A further run only when the last is as long as the first; a longer run only when it is the first.
    if (stacked ? this.#runs.length > 1 && slot >= each : last.items.length !== each) return false;
    if (typeof request.prompt[0] !== typeof start.prompt[0]) return false;
    if (!isGreedy(request) && !seedFits(start, request, slot)) return false;
    const runs = this.#runs.length + (stacked ? 0 : 1);
    const r = this.#runs.length === 1 && stacked ? slot + 1 : each;
    const prompts = this.#runs.map(({ prompt }) => prompt);
    if (!stacked) prompts.push(request.prompt as string | number[]);
    const merged = packedRequest(start, prompts, r);
    return runs * (merged.n ?? 1) <= mostChoices && applyRules(merged, this.#endpoint).issues.length === 0;
  }

  #put(item: SampleItem): void {
    const prompt = item.request.prompt as string | number[];
    const last = this.#runs.at(-1);
    if (last !== undefined && stacks(item.request) && samePrompt(last.prompt, prompt)) last.items.push(item);
    else this.#runs.push({ prompt, items: [item] });
    this.#count++;
  }

  /** Closes what is open; a last run that is too short for the grid goes on with the next item where it can. */
  #cutForNext(item: SampleItem, template: string): void {
    const short = this.#splitShort();
    this.#flush();
    if (short === undefined) return;
    this.#runs = [short];
    this.#count = short.items.length;
    if (template !== this.#template || !this.#takes(item)) this.#flush();
  }

  #cut(): void {
    const short = this.#splitShort();
    this.#flush();
    if (short === undefined) return;
    this.#runs = [short];
    this.#flush();
  }

  #splitShort(): PromptRun | undefined {
    const each = this.#runs[0]?.items.length ?? 0;
    const last = this.#runs.at(-1);
    return last !== undefined && last.items.length < each ? this.#runs.pop() : undefined;
  }

  #flush(): void {
    const runs = this.#runs;
    this.#runs = [];
    this.#count = 0;
    const [first] = runs;
    const start = first?.items[0];
    if (first === undefined || start === undefined) return;
    const items = runs.flatMap((run) => run.items);
    if (items.length === 1) return void this.#full.push(single(start));
    const prompts = runs.map(({ prompt }) => prompt);
    const n = start.request.n ?? 1;
    // Items lie prompt by prompt, each with its n choices in a row: as choice i of prompt p has the index p · n + i.
    const choices = (item: number) => Array.from({ length: n }, (_, i) => item * n + i);
    this.#full.push({ items, request: packedRequest(start.request, prompts, first.items.length), choices });
  }
}

const single = (item: SampleItem): SampleUnit => ({
  items: [item],
  request: item.request,
  choices: undefined,
});

/** What requests of one pack have alike; undefined for one that is always sent alone. */
function templateOf(request: CompletionRequest, alone: readonly string[]): string | undefined {
  const { prompt, seed, ...rest } = request;
  const one = typeof prompt === "string" || typeof prompt?.[0] === "number";
  // Without max_tokens several choices are refused, and capture and steering take one choice a request.
  if (!one || typeof rest.max_tokens !== "number" || alone.some((field) => field in rest)) return undefined;
  return `${(seed ?? null) === null} ${canonicalJSON(rest)}`;
}

const alone = [
  ...["output_residual_stream", "apply_steering_vectors", "vllm_xargs", "prompt_embeds"],
  ...["best_of", "use_beam_search", "request_id"],
];

/** vLLM refuses n above 1 where it samples nothing. */
const isGreedy = ({ temperature }: CompletionRequest): boolean =>
  typeof temperature === "number" && temperature < 1e-5;

/** Whether a repeated prompt becomes a further choice; otherwise it is a further prompt. */
const stacks = (request: CompletionRequest): boolean => !isGreedy(request);

/** The `slot`th item of a run samples with the seeds that follow those of the items before it. */
function seedFits(start: CompletionRequest, request: CompletionRequest, slot: number): boolean {
  const first = seedOf(start);
  return seedOf(request) === (first === undefined ? undefined : first + slot * (start.n ?? 1));
}

/** To vLLM -1 is no seed. */
function seedOf({ seed }: CompletionRequest): number | undefined {
  return typeof seed === "number" && seed >= 0 ? seed : undefined;
}

function samePrompt(a: string | number[], b: CompletionRequest["prompt"]): boolean {
  if (typeof a === "string" || typeof b === "string") return a === b;
  return a === b || (a.length === b.length && a.every((id, i) => id === b[i]));
}

function packedRequest(
  start: CompletionRequest,
  prompts: (string | number[])[],
  r: number,
): CompletionRequest {
  const [only] = prompts;
  const prompt = (prompts.length === 1 ? only : prompts) as CompletionRequest["prompt"];
  const n = r * (start.n ?? 1);
  return { ...start, prompt, ...(n > 1 && { n }) };
}
