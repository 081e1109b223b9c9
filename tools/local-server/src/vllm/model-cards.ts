import type { ServedModel } from "@residua/engine/api";

/** The body of GET /v1/models. */
export function modelCards({ id, checkpoint, model }: ServedModel): object {
  const created = Math.floor(Date.now() / 1000);
  const permission = {
    id: `modelperm-${id}`,
    object: "model_permission",
    created,
    allow_create_engine: false,
    allow_sampling: true,
    allow_logprobs: true,
    allow_search_indices: false,
    allow_view: true,
    allow_fine_tuning: false,
    organization: "*",
    group: null,
    is_blocking: false,
  };
  const card = {
    id,
    object: "model",
    created,
    owned_by: "vllm",
    root: checkpoint,
    parent: null,
    max_model_len: model.config.contextLength,
    permission: [permission],
  };
  return { object: "list", data: [card] };
}
