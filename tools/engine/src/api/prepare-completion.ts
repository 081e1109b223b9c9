import { invalidRequest } from "./api-error.ts";
import { checkReach, decodeSteering, distinctLayers } from "./decode-steering.ts";
import type { PreparedCompletion } from "./prepared-completion.ts";
import { dropWrongWidth, type Leniency, strict } from "./leniency.ts";
import { samplingFields } from "./sampling-fields.ts";
import type { ServedModel } from "./served-model.ts";
import { checkContext, promptList, tokenisePrompts } from "./tokenise-prompt.ts";
import type { CompletionRequest } from "./completion-request.ts";
import { decodeIntervention } from "./wire-interventions.ts";
import { checkLimits, type RequestFacts } from "./request-limits.ts";

/** OpenAI's default. */
const defaultMaxTokens = 16;

/** Checks the fields against each other and against the model. Throws ApiError 400. */
export function prepareCompletion(
  request: CompletionRequest,
  served: ServedModel,
  { job = false, quirks = strict }: { job?: boolean; quirks?: Leniency } = {},
): PreparedCompletion {
  const { config } = served.model;
  const given = promptList(request.prompt);
  const n = request.n ?? 1;
  const maxTokens = request.max_tokens ?? defaultMaxTokens;
  if (request.max_tokens == null && (given.length > 1 || n > 1)) {
    throw invalidRequest("max_tokens: set it when a request has several prompts or n above 1");
  }
  const embeddings = request.residua_embeddings === true ? [-1] : [];
  const blocks = captureLayers(request, config.layers, quirks);
  const askedLayers = [...embeddings, ...blocks];
  checkStream(request, askedLayers.length, quirks);
  const sent = request.apply_steering_vectors ?? [];
  const { layers, vectors: steering } = quirks.has("wrong-width-accepted")
    ? dropWrongWidth(sent, askedLayers, config.hiddenSize)
    : { layers: askedLayers, vectors: sent };
  for (const [field, used] of [
    ["output_residual_stream", layers.length],
    ["apply_steering_vectors", steering.length],
  ] as const) {
    if (used === 0) continue;
    if (given.length > 1 && !quirks.has("first-prompt-only"))
      throw invalidRequest(`prompt: ${field} takes one prompt, and this has ${given.length}`);
    if (n > 1 && !quirks.has("dropped-with-n"))
      throw invalidRequest(`n: ${field} takes n = 1, and this is ${n}`);
  }
  const facts: RequestFacts = {
    prompts: given.length,
    n,
    maxTokens,
    promptTokens: null,
    logprobs: request.logprobs ?? undefined,
    promptLogprobs: request.prompt_logprobs ?? undefined,
    echo: request.echo ?? false,
    captureLayers: layers.length,
    steeringVectors: steering.length,
    steeringRows: steering.reduce(
      (sum, { activations: { shape } }) => sum + shape[0]! * (shape.length === 3 ? shape[1]! : 1),
      0,
    ),
    hiddenSize: served.countedHiddenSize,
    job,
  };
  // What needs no token count comes first: it is cheap, and it bounds the work of counting.
  checkLimits(facts);
  const addSpecialTokens = request.add_special_tokens ?? true;
  const prompts = tokenisePrompts(given, { maxTokens, served, addSpecialTokens, quirks });
  checkLimits({ ...facts, promptTokens: prompts.reduce((sum, { tokens }) => sum + tokens.length, 0) });
  for (const { tokens } of prompts) checkContext(tokens.length, maxTokens, config.contextLength);
  const vectors = steering.map((vector, index) =>
    decodeSteering(vector, `apply_steering_vectors[${index}]`, served),
  );
  const interventions = (request.residua_interventions ?? []).map((intervention, index) =>
    decodeIntervention(intervention, `residua_interventions[${index}]`, served),
  );
  // Those of the longest prompt: a position may be there in one prompt and not in another.
  const runs = Math.max(...prompts.map(({ tokens }) => tokens.length)) + maxTokens - 1;
  checkReach(vectors, "apply_steering_vectors", runs);
  checkReach(interventions, "residua_interventions", runs);
  if (request.seed != null && request.seed > Number.MAX_SAFE_INTEGER - (n - 1)) {
    throw invalidRequest(
      `seed: choice j takes seed + j, and ${request.seed} + ${n - 1} is not exact; give a smaller seed`,
    );
  }
  const { logprobs, promptLogprobs, echo } = facts;
  // Echo with logprobs shows the prompt's too.
  const shown = echo && logprobs !== undefined ? logprobs : undefined;
  const asked = promptLogprobs === -1 ? -1 : Math.max(promptLogprobs ?? -2, shown ?? -2);
  const common = {
    maxTokens,
    n,
    ...samplingFields(request),
    priority: request.priority ?? 0,
    ...(request.seed == null ? {} : { seed: request.seed }),
    ...(logprobs === undefined ? {} : { logprobs }),
    ...(asked === -2 ? {} : { promptLogprobs: asked }),
    ...(layers.length === 0 ? {} : { capture: layers }),
    ...(vectors.length === 0 ? {} : { steering: vectors }),
    ...(interventions.length === 0 ? {} : { interventions }),
  };
  return { prompts, n, generations: prompts.map(({ tokens }) => ({ ...common, prompt: tokens })) };
}

function checkStream(request: CompletionRequest, captureLayers: number, quirks: Leniency): void {
  if (request.stream !== true) {
    if (request.stream_options != null)
      throw invalidRequest("stream_options: only with stream: true; leave it out");
    return;
  }
  if (request.prompt_logprobs != null)
    throw invalidRequest("prompt_logprobs: not with stream: true; leave out one of the two");
  if (captureLayers > 0 && !quirks.has("stream-drops-capture"))
    throw invalidRequest("output_residual_stream: not with stream: true; leave out one of the two");
}

function captureLayers(
  { output_residual_stream: asked }: CompletionRequest,
  layers: number,
  quirks: Leniency,
): number[] {
  if (asked === true) return Array.from({ length: layers }, (_, layer) => layer);
  if (asked == null || asked === false) return [];
  if (quirks.has("unknown-layers-dropped")) return [...new Set(asked)].filter((layer) => layer < layers);
  return distinctLayers(asked, layers, "output_residual_stream");
}
