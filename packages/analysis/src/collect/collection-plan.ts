import {
  type Bounds,
  type CapturePlan,
  type CaptureRate,
  everyToken,
  InvalidRequestError,
  type PlannedCapture,
  selectedRows,
} from "@residua/lens";
import { isPooled, type CollectItem, type PreparedItem } from "./collect-item.ts";
import type { CollectLens } from "./collect-lens.ts";
import type { CollectSettings } from "./collect-options.ts";
import { freeSpace } from "./free-space.ts";

/** An example of which it is known beforehand that it will give no rows. */
export interface PlanProblem {
  index: number;
  /** Id of the example. */
  example: string;
  /** Why. */
  reason: string;
}

/** What a collection will come to, before its first capture. What is not known is undefined; `basis` says why. */
export interface CollectionPlan {
  examples: number;
  requests: number | undefined;
  rows: Bounds | undefined;
  /** Layers × positions × hidden size of all captures. */
  numbers: Bounds | undefined;
  wireBytes: Bounds | undefined;
  /** Of the rows; token texts and columns come to it. */
  diskBytes: Bounds | undefined;
  /** At the stated or measured rate, one request at a time. */
  seconds: Bounds | undefined;
  /** What `seconds` rests on. */
  rate: CaptureRate | undefined;
  /** Free for this user where the folder is or will be. */
  freeBytes: number | undefined;
  /** Captures that can never fit: not one layer, or not the tokens, have room. They become failures without a request. */
  tooLarge: readonly PlanProblem[];
  /** Examples that are refused: a token id that the model does not have, messages that its template does not take. */
  problems: readonly PlanProblem[];
  basis: Readonly<Record<string, string>>;
}

/** Captures that are planned at once; their plans are summed up and dropped. */
const together = 512;

export interface PlanItems {
  lens: Pick<CollectLens, "planCapture">;
  model: string;
  items: readonly PreparedItem[];
  settings: CollectSettings;
}

/** Throws InvalidRequestError where the fault lies in what all captures share, and what the lens throws. */
export async function planItems(options: PlanItems): Promise<CollectionPlan> {
  const { lens, items, settings } = options;
  const freeBytes = await freeSpace(settings.to);
  const problems = items.flatMap(({ failure }): PlanProblem[] =>
    failure ? [{ index: failure.index, example: failure.example, reason: failure.message }] : [],
  );
  const ready = items.flatMap(({ item }) => item ?? []);
  const base = { examples: items.length, freeBytes, problems };
  if (lens.planCapture === undefined || ready.length === 0) {
    const why = ready.length === 0 ? "no example can be captured" : "this lens does not plan captures";
    return { ...base, ...unknown, tooLarge: [], basis: { requests: why } };
  }
  const sum = new PlanSum(settings.max_tokens);
  for (let from = 0; from < ready.length; from += together) {
    settings.signal?.throwIfAborted();
    await planSome(options, ready.slice(from, from + together), sum, problems);
  }
  return { ...base, ...sum.read() };
}

const unknown = {
  requests: undefined,
  rows: undefined,
  numbers: undefined,
  wireBytes: undefined,
  diskBytes: undefined,
  seconds: undefined,
  rate: undefined,
};

/** Plans these captures; where one is refused, each by itself, to find out which. */
async function planSome(
  options: PlanItems,
  some: readonly CollectItem[],
  sum: PlanSum,
  problems: PlanProblem[],
): Promise<void> {
  try {
    sum.add(some, await plan(options, some));
  } catch (error) {
    const ofPrompt = (name: string): boolean => /^requests\[\d+\]\.prompt/.test(name);
    if (!(error instanceof InvalidRequestError) || !error.issues.every(({ field }) => ofPrompt(field)))
      throw error;
    const [only, ...others] = some;
    if (only !== undefined && others.length === 0)
      problems.push({ index: only.index, example: only.example.id, reason: error.message });
    else {
      const half = some.length >> 1;
      await planSome(options, some.slice(0, half), sum, problems);
      await planSome(options, some.slice(half), sum, problems);
    }
  }
}

function plan({ lens, model, settings }: PlanItems, some: readonly CollectItem[]): Promise<CapturePlan> {
  const { layers, max_tokens, countTokens, rate, signal } = settings;
  const requests = some.map(({ prompt }) => ({ prompt: typeof prompt === "string" ? prompt : [...prompt] }));
  return (lens.planCapture as NonNullable<typeof lens.planCapture>)(
    { model, layers, max_tokens, countTokens, requests, ...(rate && { rate }) },
    signal ? { signal } : {},
  );
}

/** The sum of plans. */
class PlanSum {
  readonly #maxTokens: number;
  readonly #tooLarge: PlanProblem[] = [];
  readonly #sums: Record<"rows" | "numbers" | "wireBytes" | "diskBytes" | "seconds", Bounds | undefined> = {
    rows: { least: 0, most: 0 },
    numbers: { least: 0, most: 0 },
    wireBytes: { least: 0, most: 0 },
    diskBytes: { least: 0, most: 0 },
    seconds: { least: 0, most: 0 },
  };
  #requests = 0;
  #last: CapturePlan | undefined;

  constructor(maxTokens: number) {
    this.#maxTokens = maxTokens;
  }

  add(items: readonly CollectItem[], plan: CapturePlan): void {
    this.#last = plan;
    this.#requests += plan.requests;
    for (const name of ["numbers", "wireBytes", "seconds"] as const)
      this.#sums[name] = plus(this.#sums[name], plan[name]);
    for (const capture of plan.captures) this.#addOne(items[capture.index] as CollectItem, capture);
  }

  #addOne(
    { index, example, select }: CollectItem,
    { fits, reason, tokens: prompt, diskBytes }: PlannedCapture,
  ): void {
    if (fits === "never") {
      this.#tooLarge.push({ index, example: example.id, reason: reason ?? "too large" });
      return;
    }
    const tokens = { prompt, maxTokens: this.#maxTokens };
    const rows = selectedRows(select, tokens);
    this.#sums.rows = plus(this.#sums.rows, rows);
    // Planned were all positions, as captured: two bytes a number.
    const rowNumbers = diskBytes && diskBytes.most / selectedRows(everyToken, tokens).most / 2;
    const factor = rowNumbers && rowNumbers * (isPooled(select) ? 4 : 2);
    const disk = factor && { least: rows.least * factor, most: rows.most * factor };
    this.#sums.diskBytes = plus(this.#sums.diskBytes, disk || undefined);
  }

  read(): Omit<CollectionPlan, "examples" | "freeBytes" | "problems"> {
    const tooLarge = this.#tooLarge;
    if (this.#last === undefined)
      return { ...unknown, tooLarge, basis: { requests: "no example can be captured" } };
    const { rate, basis } = this.#last;
    return { ...this.#sums, requests: this.#requests, rate, tooLarge, basis };
  }
}

function plus(a: Bounds | undefined, b: Bounds | undefined): Bounds | undefined {
  return a && b && { least: a.least + b.least, most: a.most + b.most };
}
