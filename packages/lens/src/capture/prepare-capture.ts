import type { ModelDescription } from "@residua/client";
import { checkHooks } from "../hooks/hook-blob.ts";
import type { LensCore } from "../lens-core.ts";
import type { CaptureCheck, LensOptions } from "../lens-types.ts";
import { checkCaptureLimit, countedWidth, type TokenBounds, tokenBounds } from "../limits/capture-limit.ts";
import { withLensFields } from "../profiles/lens-fields.ts";
import { ownSalt } from "../profiles/own-salt.ts";
import { resolveLayers } from "../layers/resolve-layers.ts";
import { type AnyCapture, checkCaptureRequest, checkTokenIds } from "../requests/lens-request.ts";
import { LensOptionError } from "../profiles/lens-option-error.ts";
import type { LensProfile } from "../profiles/lens-profile.ts";
import { prepareSteering } from "../steering/prepare-steering.ts";
import { doubleBos } from "../tokens/double-bos.ts";
import { countPreemptions } from "../verify/preemptions.ts";

/** A capture that is checked and not yet sent. */
export interface PreparedCapture {
  /** What is sent. */
  readonly body: object;
  readonly model: ModelDescription;
  /** Ascending; undefined for all layers of a model whose number of layers is not known. */
  readonly layers: readonly number[] | undefined;
  readonly prompt: string | readonly number[];
  readonly addSpecialTokens: boolean;
  /** The layers that the answer will hold: those asked, or every layer. */
  readonly gives: "asked" | "all";
  /** What was checked before sending. */
  readonly checks: readonly CaptureCheck[];
  /** How many requests the server had preempted, where that was asked for. */
  readonly preemptionsBefore: { readonly count: number | undefined } | undefined;
  readonly signal: AbortSignal | undefined;
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
    hooks,
    binary,
    verify: _proven,
    ...fields
  } = checkCaptureRequest(request, client.profile);
  checkTransport(binary, profile);
  const { prompt, max_tokens: maxTokens } = fields;
  const addSpecialTokens = fields.add_special_tokens ?? true;
  const model = await client.describe(fields.model, options);
  const layers = resolveLayers(asked, model, profile.capture);
  checkTokenIds(prompt, model);
  if (hooks !== undefined) checkHooks(hooks, model.layers.value);
  const bos = model.bosTokenId.value;
  if (typeof prompt !== "string" && bos !== undefined && prompt[0] === bos && prompt[1] === bos)
    throw doubleBos();
  const gives = core.behaviours.of(model.id).layers === "all" ? "all" : (profile.capture.gives ?? "asked");
  const { tokens, size } = await sizeOf(
    core,
    {
      model,
      layers: gives === "all" ? (model.layers.value ?? layers?.length) : layers?.length,
      prompt,
      addSpecialTokens,
      maxTokens,
    },
    options,
  );
  const steered = await prepareSteering(core, steering, { model, tokens, maxTokens, fields });
  const body = withLensFields({ ...profile.capture.fields, ...fields, model: model.id }, profile, {
    layers: layers ?? "all",
    ...(hooks && ownSalt(profile, fields)),
    ...steered.fields,
    hooks,
    binary,
  });
  const detail =
    size === "fits" ? "within the limit" : "left to the server: what the limit counts is not known here";
  return {
    body,
    model,
    layers,
    prompt,
    addSpecialTokens,
    gives,
    signal: options.signal,
    preemptionsBefore: core.watchPreemptions
      ? { count: await countPreemptions(core, options.signal) }
      : undefined,
    checks: [
      { code: "capture_limit", status: size === "fits" ? "pass" : "unverified", detail },
      ...steered.checks,
    ],
  };
}

interface Sized {
  model: ModelDescription;
  /** How many the server computes; undefined where that is not known. */
  layers: number | undefined;
  prompt: string | readonly number[];
  addSpecialTokens: boolean;
  maxTokens: number;
}

/** A text is counted, where there is a tokenizer, only when its bytes leave open whether it fits. Throws CaptureLimitError. */
async function sizeOf(
  { client, profile }: LensCore,
  { model, layers, prompt, addSpecialTokens, maxTokens }: Sized,
  options: LensOptions,
): Promise<{ tokens: TokenBounds; size: "fits" | "unknown" }> {
  const question = {
    layers,
    maxTokens,
    hiddenSize: countedWidth(model, client.profile),
    limit: profile.limits.captureNumbers,
  };
  const tokens = tokenBounds(prompt, addSpecialTokens);
  const size = checkCaptureLimit({ ...question, tokens });
  if (size === "fits" || typeof prompt !== "string") return { tokens, size };
  const counted = await client.countTokens(prompt, { model: model.id, addSpecialTokens, ...options });
  return { tokens: counted, size: checkCaptureLimit({ ...question, tokens: counted }) };
}

function checkTransport(binary: boolean | undefined, { name, binary: route }: LensProfile): void {
  if (binary !== true || route !== undefined) return;
  throw new LensOptionError(
    `binary: true given; a server of the profile ${name} sends captures in the answer only, so leave it out`,
  );
}
