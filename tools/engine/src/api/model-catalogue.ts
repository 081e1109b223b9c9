import { queueLimits } from "./queue-limits.ts";
import type { ServedModel } from "./served-model.ts";

/** The body of GET /v1/models. */
export function modelList(served: readonly ServedModel[]): object {
  const data = served
    .filter(({ listed }) => listed)
    .map(({ id, checkpoint, model: { config } }) => ({
      id,
      object: "model",
      owned_by: "residua",
      served_model_name: checkpoint,
      status: "live",
      capabilities: {
        max_model_len: config.contextLength,
        n_layers: config.layers,
        hidden_size: config.hiddenSize,
        vocab_size: config.vocabSize,
        bos_token_id: config.bosTokenId,
        max_logprobs: 100,
        max_output_work_tokens: 32_000,
        max_inflight_per_key: queueLimits.running,
        max_queued_per_key: queueLimits.waiting,
        logprobs: true,
        prompt_logprobs: true,
        prompt_logprobs_full_vocab: true,
        full_vocab_max_prompt_tokens: 256,
        activations: true,
        max_steering_vectors: 8,
      },
    }));
  return { object: "list", data };
}

/** The body of GET /v1/models/{id}/status: the model is loaded before the server answers. */
export function modelStatus({ id }: ServedModel): object {
  return { id, object: "model.status", warm: true, boot: null };
}
