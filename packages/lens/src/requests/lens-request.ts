import {
  checkFields,
  completionEndpoints,
  type Endpoint,
  InvalidRequestError,
  type ModelDescription,
  type ProfileName,
} from "@residua/client";
import * as z from "zod";
import type { LayerChoice, LayerChoices } from "../layers/layer-choice.ts";
import type { HookBlob } from "../hooks/hook-blob.ts";
import type { SteeringVector } from "../steering/steering-vector.ts";

const onePrompt = "one text or one list of token ids; captureMany and generateMany take several";
const notOnWire =
  "no server takes ablation or clamping beside steering; Residua's own server does in residua_interventions (client option extraFields), " +
  "and `residua export --ablate` takes a direction out of the weights of a model folder";
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
const verify = z.union([z.boolean(), z.literal("first layer")]).optional();
const layer = z.int().nonnegative();
const layerDepth = z.strictObject({ depth: z.number().min(0).max(1) });
const layerChoice: z.ZodType<LayerChoice> = z.union([
  layer,
  layerDepth,
  z.array(z.lazy(() => layerChoice)).min(1),
]);
const anyLayers = z.union([z.literal("all"), layerDepth, z.array(layerChoice).min(1)]);
const layers = z.custom<LayerChoices>().superRefine((given, context) => {
  if (!anyLayers.safeParse(given).success) context.addIssue({ code: "custom", ...wrongLayer(given, []) });
});

/** The first entry that is no layer, by its place: a union would only tell that the whole list is none. */
function wrongLayer(
  given: unknown,
  path: (string | number)[],
): { path: (string | number)[]; message: string } {
  if (Array.isArray(given)) {
    const at = given.findIndex((entry) => !layerChoice.safeParse(entry).success);
    return at < 0 ? { path, message: "at least one layer" } : wrongLayer(given[at], [...path, at]);
  }
  if (given instanceof Set) return { path, message: "a Set is none: [...set] makes a list of it" };
  if (typeof given !== "number" && typeof given !== "object") return { path, message: "Invalid input" };
  const [issue] = (typeof given === "number" ? layer : layerDepth).safeParse(given).error?.issues ?? [];
  return {
    path: [...path, ...((issue?.path ?? []) as string[])],
    message: issue?.message ?? "Invalid input",
  };
}

const maxTokens = z.int().min(1).default(1);
/** What a capture without a temperature is sent with. */
export const captureTemperature = 0;
const temperature = z.number().default(captureTemperature);

const hooks = z.array(z.custom<HookBlob>()).optional();
const hooksField = { allowed: "a list of hooks, each { fn: { cloudpickle }, layer_indices, pre? }" };
const steeringField = { allowed: "a list of steering vectors made by steeringVector()" };
const verifyField = { allowed: 'true, false, or "first layer": prove the steering with captures of its own' };
const layersField = {
  allowed:
    'a list of layers from 0 (a negative one would be dropped in silence), of layerRange() and depth() too, or "all"',
};

const splitField = { allowed: "true: over several requests where one is over the limit; or false" };
const binaryField = { allowed: "true or false" };

/** A generate request of any profile, as far as lens itself reads it; the other fields go to the client. */
export interface AnyGenerate {
  model?: string | undefined;
  prompt: string | number[];
  steering?: readonly SteeringVector[] | undefined;
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

/** The request with its defaults; the client checks the values of wire fields. Throws InvalidRequestError. */
export function checkCaptureRequest(request: AnyCapture, profile: ProfileName): CheckedCapture {
  return checkFields(request, {
    schema: z.looseObject({
      prompt,
      layers,
      max_tokens: maxTokens,
      temperature,
      steering,
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
  const schema = z.looseObject({ prompt, steering, hooks, verify });
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

function isSteeringVector(value: unknown): boolean {
  const vector = value as Partial<SteeringVector> | null;
  return (
    typeof vector === "object" &&
    vector !== null &&
    Array.isArray(vector.layers) &&
    Array.isArray(vector.rows)
  );
}
