import type { ModelDescription } from "@residua/client";
import type { LensCore } from "../lens-core.ts";
import type { CaptureCheck, LensOptions } from "../lens-types.ts";
import { checkCaptureLimit, tokenBounds } from "../limits/capture-limit.ts";
import { withLensFields } from "../profiles/lens-fields.ts";
import {
  type AnyCapture,
  checkCaptureRequest,
  checkTokenIds,
  resolveLayers,
} from "../requests/lens-request.ts";
import { prepareSteering } from "../steering/prepare-steering.ts";
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
  const { client, profile } = core;
  const {
    layers: asked,
    steering,
    verify: _proven,
    ...fields
  } = checkCaptureRequest(request, client.profile);
  const { prompt, max_tokens: maxTokens } = fields;
  const addSpecialTokens = fields.add_special_tokens ?? true;
  const model = await client.describe(fields.model, options);
  const layers = resolveLayers(asked, model);
  checkTokenIds(prompt, model);
  const bos = model.bosTokenId.value;
  if (typeof prompt !== "string" && bos !== undefined && prompt[0] === bos && prompt[1] === bos)
    throw doubleBos();
  const tokens = tokenBounds(prompt, addSpecialTokens);
  const size = checkCaptureLimit({
    layers: layers?.length,
    tokens,
    maxTokens,
    hiddenSize: model.hiddenSize,
  });
  const steered = prepareSteering(core, steering, { model, tokens, maxTokens, fields });
  const body = withLensFields({ ...profile.capture.fields, ...fields, model: model.id }, profile, {
    layers: layers ?? "all",
    ...steered.fields,
  });
  const detail =
    size === "fits" ? "within the limit" : "left to the server: the prompt's tokens cannot be counted here";
  return {
    body,
    model,
    layers,
    prompt,
    addSpecialTokens,
    checks: [
      { code: "capture_limit", status: size === "fits" ? "pass" : "unverified", detail },
      ...steered.checks,
    ],
  };
}
