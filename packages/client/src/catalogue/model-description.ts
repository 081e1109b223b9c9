import type { ModelFacts } from "./model-facts.ts";
import type { Model } from "./model.ts";

/**
 * A value and where it came from: the server's `catalogue`; `stated` by the user (`createClient({ models })`); `built-in`
 * (the hosted models); `observed` in answers; the `default`. `unknown` goes with `undefined`.
 */
export interface Known<T> {
  value: T;
  source: "catalogue" | "stated" | "built-in" | "observed" | "default" | "unknown";
}

/** What is known of a model before it is asked. */
export interface ModelDescription {
  /** The id to send. */
  id: string;
  /** Whether GET /models lists it. */
  catalogued: boolean;
  /** Width of the residual stream that the server's limits count with. Never observed: see `observedHiddenSize`. */
  hiddenSize: Known<number>;
  /** Width that captures of this model were seen to have: for checks of shapes, not for limits. */
  observedHiddenSize: Known<number | undefined>;
  /** Number of decoder blocks; layers run from 0 to this − 1. */
  layers: Known<number | undefined>;
  /** Most tokens, prompt and generated together. */
  contextLength: Known<number | undefined>;
  vocabSize: Known<number | undefined>;
  bosTokenId: Known<number | undefined>;
  /** The weights' own name: what answers of the hosted API carry in `model`, and vLLM's card in `root`. */
  checkpoint: Known<string | undefined>;
}

/** The width that vectors and captures have, as far as it is known: what limits count with may be a mere default. */
export function widthOf({
  hiddenSize,
  observedHiddenSize,
}: Pick<ModelDescription, "hiddenSize" | "observedHiddenSize">): number | undefined {
  return hiddenSize.source === "default" ? observedHiddenSize.value : hiddenSize.value;
}

/** The hosted models, by the short id of the catalogue. Source: the "Create Completion Job" page and the catalogue's layer counts. */
const builtIn: Readonly<Record<string, { hiddenSize: number; layers: number; vocabSize?: number }>> = {
  // The vocabulary of Llama 3.1.
  "llama-8b": { hiddenSize: 4096, layers: 32, vocabSize: 128256 },
  "llama-405b": { hiddenSize: 16384, layers: 126, vocabSize: 128256 },
  "trinity-truebase": { hiddenSize: 3072, layers: 60 },
};

/** "A model that the catalogue does not have counts as its largest hidden size, 16384." (Create Completion Job) */
export const largestHiddenSize = 16384;

/**
 * Of each value the first that is known: catalogue, stated, built-in, observed. The hidden size for limits skips what was
 * observed and ends with the largest that the server may count with.
 */
export function describeModel(
  id: string,
  entries: readonly Model[],
  { stated = {}, observed = {} }: { stated?: ModelFacts | undefined; observed?: ModelFacts | undefined } = {},
): ModelDescription {
  const entry = entries.find((one) => one.id === id);
  const table = Object.hasOwn(builtIn, id) ? builtIn[id] : undefined;
  const catalogue = entry ? catalogueFacts(entry, entries) : {};
  const known = <K extends keyof ModelFacts>(name: K): Known<ModelFacts[K] | undefined> =>
    firstOf(
      catalogue[name],
      stated[name],
      table?.[name as keyof typeof table] as ModelFacts[K],
      observed[name],
    );
  const hiddenSize = firstOf(catalogue.hiddenSize, stated.hiddenSize, table?.hiddenSize, undefined);
  return {
    id,
    catalogued: entry !== undefined,
    hiddenSize:
      hiddenSize.value === undefined
        ? { value: largestHiddenSize, source: "default" }
        : { value: hiddenSize.value, source: hiddenSize.source },
    observedHiddenSize: firstOf(undefined, undefined, undefined, observed.hiddenSize),
    layers: known("layers"),
    contextLength: known("contextLength"),
    vocabSize: known("vocabSize"),
    bosTokenId: known("bosTokenId"),
    checkpoint: known("checkpoint"),
  };
}

function catalogueFacts(entry: Model, entries: readonly Model[]): ModelFacts {
  const { capabilities } = entry;
  // vLLM states no length for an adapter; it has its base model's.
  const base = entries.find(({ id }) => id === entry.parent);
  return {
    hiddenSize: capabilities?.hidden_size ?? undefined,
    layers: capabilities?.n_layers ?? undefined,
    contextLength: capabilities?.max_model_len ?? entry.max_model_len ?? base?.max_model_len ?? undefined,
    vocabSize: capabilities?.vocab_size ?? undefined,
    bosTokenId: capabilities?.bos_token_id ?? undefined,
    checkpoint: checkpointOf(entry),
  };
}

export function checkpointOf({ served_model_name: served, root }: Model): string | undefined {
  return served ?? root ?? undefined;
}

function firstOf<T>(
  catalogue: T | undefined,
  stated: T | undefined,
  table: T | undefined,
  observed: T | undefined,
): Known<T | undefined> {
  if (catalogue !== undefined) return { value: catalogue, source: "catalogue" };
  if (stated !== undefined) return { value: stated, source: "stated" };
  if (table !== undefined) return { value: table, source: "built-in" };
  if (observed !== undefined) return { value: observed, source: "observed" };
  return { value: undefined, source: "unknown" };
}
