import { checkFields, completionFields, InvalidRequestError, type ModelDescription } from "@residua/client";
import * as z from "zod";
import type { CaptureRequest, GenerateRequest } from "./lens-types.ts";
import type { SteeringVector } from "./steering-vector.ts";

const onePrompt = "one text or one list of token ids; send one request for each prompt";
const prompt = z.union([z.string(), z.array(z.int().nonnegative()).min(1)]);
const steering = z.array(z.custom<SteeringVector>(isSteeringVector)).optional();
const steeringField = { allowed: "a list of steering vectors made by steeringVector()" };
const hints = {
  n: "capture and steering take one choice; send one request for each, with seeds of their own",
  output_residual_stream: "use capture({ layers })",
  apply_steering_vectors: "use steering: [steeringVector({ rows })]",
  stream: "a server that streams drops captures; client.completions.create({ stream: true }) streams",
};

const captureSchema = z.strictObject({
  model: z.string().min(1).optional(),
  prompt,
  layers: z.union([z.literal("all"), z.array(z.int().nonnegative()).min(1).refine(eachOnce)]),
  max_tokens: z.int().min(1).default(1),
  temperature: z.number().default(0),
  seed: z.int().optional(),
  add_special_tokens: z.boolean().optional(),
  steering,
});

const wire = completionFields;
const captureFields = {
  model: wire.model,
  prompt: { allowed: onePrompt },
  layers: {
    allowed: 'a list of layers from 0, each once (a negative layer would be dropped in silence), or "all"',
  },
  max_tokens: wire.max_tokens,
  temperature: wire.temperature,
  seed: wire.seed,
  add_special_tokens: wire.add_special_tokens,
  steering: steeringField,
} as Record<string, { allowed: string }>;

const notForOne = new Set([
  "n",
  "stream",
  "stream_options",
  "output_residual_stream",
  "apply_steering_vectors",
]);
const generateFields = {
  ...Object.fromEntries(Object.entries(wire).filter(([name]) => !notForOne.has(name))),
  prompt: { allowed: onePrompt },
  steering: steeringField,
};

const generateSchema = z.looseObject({ prompt, steering }) as unknown as z.ZodType<GenerateRequest>;

export type CheckedCapture = z.output<typeof captureSchema>;

/** The request with its defaults. Throws InvalidRequestError. */
export function checkCaptureRequest(request: CaptureRequest): CheckedCapture {
  return checkFields(request, {
    schema: captureSchema,
    fields: captureFields,
    hints,
    what: "capture request",
  });
}

/** Unknown fields and the prompt's form; the client checks the values of wire fields. Throws InvalidRequestError. */
export function checkGenerateRequest(request: GenerateRequest): GenerateRequest {
  return checkFields(request, {
    schema: generateSchema,
    fields: generateFields,
    hints,
    what: "generate request",
  });
}

/** Layers ascending; undefined for all layers of a model whose number of layers is not known. Throws InvalidRequestError. */
export function resolveLayers(
  layers: CheckedCapture["layers"],
  model: ModelDescription,
): number[] | undefined {
  const count = model.layers.value;
  if (layers === "all")
    return count === undefined ? undefined : Array.from({ length: count }, (_, layer) => layer);
  const beyond = layers.find((layer) => count !== undefined && layer >= count);
  if (beyond === undefined) return [...layers].sort((a, b) => a - b);
  const allowed = `0 to ${(count ?? 0) - 1} (${model.id} has ${count} layers, from the ${model.layers.source})`;
  throw new InvalidRequestError([{ field: "layers", given: String(beyond), allowed }], "capture request");
}

/** A token id that the model does not have stops some servers altogether. Throws InvalidRequestError. */
export function checkTokenIds(prompt: string | readonly number[], model: ModelDescription): void {
  const size = model.vocabSize.value;
  if (typeof prompt === "string" || size === undefined) return;
  const at = prompt.findIndex((id) => id >= size);
  if (at < 0) return;
  const issue = { field: `prompt[${at}]`, given: String(prompt[at]), allowed: `token ids 0 to ${size - 1}` };
  throw new InvalidRequestError([issue]);
}

function eachOnce(list: readonly number[]): boolean {
  return new Set(list).size === list.length;
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
