import { type ModelDescription, widthOf, type WireSteeringVector } from "@residua/client";
import { checkHooks } from "../hooks/hook-blob.ts";
import type { LensCore } from "../lens-core.ts";
import type { CaptureCheck, LensOptions } from "../lens-types.ts";
import { checkCaptureLimit } from "../limits/capture-limit.ts";
import { sizeCapture } from "../plan/size-capture.ts";
import { withLensFields } from "../profiles/lens-fields.ts";
import type { AnyCapture } from "../requests/lens-request.ts";
import { checkSteering, wireSteering } from "../steering/steering-request.ts";
import type { SteeringVector } from "../steering/steering-vector.ts";
import { doubleBos } from "../tokens/learn-tokens.ts";

/** A capture that is checked and not yet sent. */
export interface PreparedCapture {
  /** What is sent. */
  readonly body: object;
  readonly model: ModelDescription;
  /** Ascending; undefined for all layers of a model whose number of layers is not known. */
  readonly layers: readonly number[] | undefined;
  readonly prompt: string | readonly number[];
  readonly addSpecialTokens: boolean;
  /** What was checked before sending. */
  readonly checks: readonly CaptureCheck[];
}

/** Throws CaptureLimitError, SteeringError or InvalidRequestError. */
export async function prepareCapture(
  core: LensCore,
  request: AnyCapture,
  options: LensOptions = {},
): Promise<PreparedCapture> {
  const { profile } = core;
  const sized = await sizeCapture(core, request, options);
  const { model, layers, addSpecialTokens, tokens } = sized;
  const { layers: _layers, split: _split, steering, hooks, ...fields } = sized.request;
  const { prompt, max_tokens: maxTokens } = fields;
  if (hooks !== undefined) checkHooks(hooks, model.layers.value);
  const bos = model.bosTokenId.value;
  if (typeof prompt !== "string" && bos !== undefined && prompt[0] === bos && prompt[1] === bos)
    throw doubleBos();
  const size = checkCaptureLimit(sized.question);
  const body = withLensFields({ ...profile.capture.fields, ...fields, model: model.id }, profile, {
    layers: layers ?? "all",
    steering: wireVectors(steering, model, tokens.most + maxTokens - 1),
    hooks,
  });
  const detail =
    size === "fits" ? "within the limit" : "left to the server: what the limit counts is not known here";
  return {
    body,
    model,
    layers,
    prompt,
    addSpecialTokens,
    checks: [{ code: "capture_limit", status: size === "fits" ? "pass" : "unverified", detail }],
  };
}

/** The wire form of vectors, checked against the model. `positions`: the most that the request can run. Throws SteeringError. */
export function wireVectors(
  vectors: readonly SteeringVector[] | undefined,
  model: ModelDescription,
  positions: number,
): WireSteeringVector[] | undefined {
  if (vectors === undefined || vectors.length === 0) return undefined;
  checkSteering(vectors, { hiddenSize: widthOf(model), layers: model.layers.value, positions });
  return vectors.map(wireSteering);
}
