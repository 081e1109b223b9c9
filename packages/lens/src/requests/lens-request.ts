import {
  checkFields,
  completionEndpoints,
  type Endpoint,
  InvalidRequestError,
  type ModelDescription,
  type ProfileName,
} from "@residua/client";
import * as z from "zod";
import type { Intervention } from "../interventions/intervention.ts";
import type { LayerChoices } from "../layers/layer-choice.ts";
import { layersSchema } from "../layers/layers-schema.ts";
import type { HookBlob } from "../hooks/hook-blob.ts";
import type { SteeringVector } from "../steering/steering-vector.ts";

const onePrompt = "one text or one list of token ids; captureMany and generateMany take several";
const notOnWire =
  "no server takes ablation or clamping beside steering but Residua's own, in residua_interventions (client option extraFields); a local model does " +
  '(openLocal of @residua/engine), in interventions: [intervention({ kind: "ablate", direction, layers })]; and ' +
  "`residua export --ablate` takes a direction out of the weights of a model folder";
const hints = {
  n: "a capture is of one choice; captureMany and generateMany send each as a request of its own",
  output_residual_stream: "use capture({ layers })",
  apply_hooks: "use hooks: [{ fn, layer_indices }]",
  apply_steering_vectors: "use steering: [steeringVector({ rows })]",
  vllm_xargs: "lens writes its keys: use layers and steering",
  stream: "a server that streams drops captures; client.completions.create({ stream: true }) streams",
  echo: "a capture holds the prompt's tokens",
  request_id:
    "the server makes its own: two requests at once with one id, or with one that begins with the other, steer each other",
  ablate: notOnWire,
  clamp: notOnWire,
  residua_interventions: notOnWire,
};

/** Wire fields that lens writes itself, or that a request of one prompt and one choice cannot have. */
const notForOne = [
  "n",
  "best_of",
  "stream",
  "stream_options",
  "use_beam_search",
  "output_residual_stream",
  "apply_steering_vectors",
  "vllm_xargs",
  "prompt_embeds",
  "request_id",
];

const prompt = z.union([z.string(), z.array(z.int().nonnegative()).min(1)]);
const steering = z.array(z.custom<SteeringVector>(isSteeringVector)).optional();
const interventions = z.array(z.custom<Intervention>(isIntervention)).optional();
const verify = z.union([z.boolean(), z.literal("first layer")]).optional();

const layersFrom = { 0: layersSchema(0), [-1]: layersSchema(-1) };
const maxTokens = z.int().min(1).default(1);
/** What a capture without a temperature is sent with. */
export const captureTemperature = 0;
const temperature = z.number().default(captureTemperature);

const hooks = z.array(z.custom<HookBlob>()).optional();
const hooksField = { allowed: "a list of hooks, each { fn: { cloudpickle }, layer_indices, pre? }" };
const interventionsField = { allowed: "a list of interventions made by intervention()" };
const steeringField = { allowed: "a list of steering vectors made by steeringVector()" };
const verifyField = { allowed: 'true, false, or "first layer": prove the steering with captures of its own' };
const layersField = {
  allowed:
    'a list of layers from 0 (a negative one would be dropped in silence), of layerRange() and depth() too, or "all"; −1, the token embeddings, of a ' +
    "local model only (openLocal of @residua/engine)",
};

const splitField = { allowed: "true: over several requests where one is over the limit; or false" };
const binaryField = { allowed: "true or false" };

/** A generate request of any profile, as far as lens itself reads it; the other fields go to the client. */
export interface AnyGenerate {
  model?: string | undefined;
  prompt: string | number[];
  steering?: readonly SteeringVector[] | undefined;
  interventions?: readonly Intervention[] | undefined;
  hooks?: readonly HookBlob[] | undefined;
  verify?: boolean | "first layer" | undefined;
  max_tokens?: number | null | undefined;
  add_special_tokens?: boolean | null | undefined;
  [field: string]: unknown;
}

/** A capture request of any profile. */
export interface AnyCapture extends AnyGenerate {
  layers: LayerChoices;
  split?: boolean | undefined;
  binary?: boolean | undefined;
}

/** A capture request with its defaults. */
export interface CheckedCapture extends AnyCapture {
  max_tokens: number;
  temperature: number;
}

/**
 * The request with its defaults; the client checks the values of wire fields. `lowest`: the lowest layer that there is, −1 for token
 * embeddings. Throws InvalidRequestError.
 */
export function checkCaptureRequest(
  request: AnyCapture,
  profile: ProfileName,
  lowest: 0 | -1,
): CheckedCapture {
  return checkFields(request, {
    schema: z.looseObject({
      prompt,
      layers: layersFrom[lowest],
      max_tokens: maxTokens,
      temperature,
      steering,
      interventions,
      hooks,
      binary: z.boolean().optional(),
      split: z.boolean().optional(),
      verify,
    }),
    fields: {
      ...wireFields(profile, ["echo"]),
      layers: layersField,
      binary: binaryField,
      split: splitField,
    },
    hints,
    what: "capture request",
  });
}

/** Unknown fields and the prompt's form; the client checks the values of wire fields. Throws InvalidRequestError. */
export function checkGenerateRequest(request: AnyGenerate, profile: ProfileName): AnyGenerate {
  const what = "generate request";
  const schema = z.looseObject({ prompt, steering, interventions, hooks, verify });
  const checked = checkFields(request, { schema, fields: wireFields(profile), hints, what });
  if (checked["echo"] === true && checked["return_token_ids"] === true) {
    const allowed = "left out beside echo: true, where it takes the prompt out of the text";
    throw new InvalidRequestError([{ field: "return_token_ids", given: "true", allowed }], what);
  }
  return checked;
}

function wireFields(profile: ProfileName, others: readonly string[] = []) {
  const { fields }: Endpoint = completionEndpoints[profile];
  const left = Object.entries(fields).filter(([name]) => !notForOne.includes(name) && !others.includes(name));
  return {
    ...Object.fromEntries(left),
    prompt: { allowed: onePrompt },
    steering: steeringField,
    interventions: interventionsField,
    hooks: hooksField,
    verify: verifyField,
  };
}

/** A token id that the model does not have stops some servers altogether. Throws InvalidRequestError. */
export function checkTokenIds(ids: string | readonly number[], model: ModelDescription): void {
  const size = model.vocabSize.value;
  if (typeof ids === "string" || size === undefined) return;
  const at = ids.findIndex((id) => id >= size);
  if (at < 0) return;
  const issue = { field: `prompt[${at}]`, given: String(ids[at]), allowed: `token ids 0 to ${size - 1}` };
  throw new InvalidRequestError([issue]);
}

function isIntervention(value: unknown): boolean {
  const { kind, layers, direction } = (value ?? {}) as Partial<Intervention>;
  return (
    (kind === "ablate" || kind === "clamp") && Array.isArray(layers) && direction instanceof Float32Array
  );
}

function isSteeringVector(value: unknown): boolean {
  const vector = value as Partial<SteeringVector> | null;
  return (
    typeof vector === "object" &&
    vector !== null &&
    Array.isArray(vector.layers) &&
    Array.isArray(vector.rows)
  );
}
