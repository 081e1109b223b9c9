import type { Model } from "./model.ts";

/** A value and where it came from. `unknown` goes with `undefined`. */
export interface Known<T> {
  value: T;
  source: "catalogue" | "built-in" | "default" | "unknown";
}

/** What is known of a model before it is asked. */
export interface ModelDescription {
  /** The id to send. */
  id: string;
  /** Whether GET /models lists it. */
  catalogued: boolean;
  /** Width of the residual stream that the server's limits count with. */
  hiddenSize: Known<number>;
  /** Number of decoder blocks; layers run from 0 to this − 1. */
  layers: Known<number | undefined>;
  /** Most tokens, prompt and generated together. */
  contextLength: Known<number | undefined>;
  vocabSize: Known<number | undefined>;
  bosTokenId: Known<number | undefined>;
  /** The name that answers carry in `model`. */
  checkpoint: Known<string | undefined>;
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

/** Catalogue first, then the built-in table, then (hidden size only) the largest that the server may count with. */
export function describeModel(id: string, entry: Model | undefined): ModelDescription {
  const stated = entry?.capabilities ?? {};
  const table = Object.hasOwn(builtIn, id) ? builtIn[id] : undefined;
  return {
    id,
    catalogued: entry !== undefined,
    hiddenSize: known(stated.hidden_size, table?.hiddenSize) ?? {
      value: largestHiddenSize,
      source: "default",
    },
    layers: known(stated.n_layers, table?.layers) ?? unknown,
    contextLength: known(stated.max_model_len ?? entry?.max_model_len) ?? unknown,
    vocabSize: known(stated.vocab_size, table?.vocabSize) ?? unknown,
    bosTokenId: known(stated.bos_token_id) ?? unknown,
    checkpoint: known(entry?.served_model_name) ?? unknown,
  };
}

const unknown: Known<undefined> = { value: undefined, source: "unknown" };

function known<T>(catalogue: T | null | undefined, table?: T): Known<T> | undefined {
  if (catalogue !== undefined && catalogue !== null) return { value: catalogue, source: "catalogue" };
  return table === undefined ? undefined : { value: table, source: "built-in" };
}
