import { backendNames, startBackend, type BackendName } from "./backend.ts";
import { checkOptions, flagRule, type OptionRule } from "./check-options.ts";
import type { ChatTemplate } from "./chat-template.ts";
import type { Generation, GenerationRequest } from "./generation-request.ts";
import type { ModelConfig } from "./model-config.ts";
import { openModelFiles } from "./model-files.ts";
import { optionError } from "./option-error.ts";
import { makeReadOut, type ReadOut } from "./read-out.ts";
import { ropeTable } from "./rope.ts";
import { defaultLimits, Scheduler, type EngineStats } from "./scheduler.ts";
import type { Tokenizer } from "./tokenizer.ts";
import { disposeWeights, loadWeights } from "./weights.ts";

/** A model in memory, ready to run. */
export interface Model {
  readonly config: ModelConfig;
  readonly tokenizer: Tokenizer;
  /** Null where the model has none. */
  readonly chatTemplate: ChatTemplate | null;
  /** What multiplies: its name and what computes, in words. */
  readonly backend: { readonly name: BackendName; readonly device: string };
  /**
   * Runs requests, results in their order. Requests of several calls share passes too, and no request's
   * result depends on what runs beside it. Rejects with EngineRequestError for a request that cannot be
   * run, or with the reason of a request's signal.
   */
  generate(requests: readonly GenerationRequest[]): Promise<Generation[]>;
  readonly readOut: ReadOut;
  /** Requests waiting and under way now, and the tokens run since the model was loaded. */
  stats(): EngineStats;
  /** Ends what is under way and frees the weights. */
  dispose(): Promise<void>;
}

export interface ModelOptions {
  /**
   * Keep the key-value rows of what was run, at most 256 MiB, so that a request whose first tokens were run before
   * does not run them again; its result has the same bits. Default true.
   */
  readonly prefixCache?: boolean;
  /**
   * What the products with the weight matrices run on. Default `wasm`, which is everywhere; `native` is TensorFlow's library,
   * some five times as fast, where it was installed (`residua backend install`).
   */
  readonly backend?: BackendName;
}

export const modelOptionRules: Readonly<Record<keyof ModelOptions, OptionRule>> = {
  prefixCache: flagRule,
  backend: [backendNames.join(", "), (value) => (backendNames as readonly unknown[]).includes(value)],
};

/**
 * Loads a Hugging Face folder (config.json, tokenizer.json, and model.safetensors or its shards), a `.gguf` file, or
 * a folder that holds one, of the families Llama, Mistral and Qwen2. Throws ModelFolderError, EngineError
 * `backend_unavailable`, and `invalid_option`.
 */
export async function loadModel(path: string, options: ModelOptions = {}): Promise<Model> {
  const { prefixCache = true, backend: name = "wasm" } = checkOptions(options, modelOptionRules);
  if (typeof path !== "string" || path === "")
    throw optionError("path", path, "the path of a model's folder or .gguf file, as a text");
  const { config, checkpoint, readTokenizer, readChatTemplate } = await openModelFiles(path, name);
  try {
    const tokenizer = await readTokenizer();
    const chatTemplate = await readChatTemplate();
    const backend = await startBackend(name);
    const weights = await loadWeights(checkpoint, config, backend);
    const rope = ropeTable(config);
    const network = { config, weights, rope };
    const limits = defaultLimits(network);
    const scheduler = new Scheduler(network, tokenizer, prefixCache ? limits : { ...limits, prefixBytes: 0 });
    let disposed: Promise<void> | null = null;
    return {
      config,
      tokenizer,
      chatTemplate,
      readOut: makeReadOut(network, path, () => disposed === null),
      backend: { name, device: backend.device },
      generate: (requests) => Promise.all(requests.map((request) => scheduler.submit(request))),
      stats: () => scheduler.stats,
      dispose: () => (disposed ??= scheduler.close().then(() => disposeWeights(weights))),
    };
  } finally {
    await checkpoint.close();
  }
}
