import type { ModelDescription } from "@residua/client";
import { checkHooks } from "../hooks/hook-blob.ts";
import { prepareInterventions } from "../interventions/prepare-interventions.ts";
import type { LensCore } from "../lens-core.ts";
import type { CaptureCheck, LensOptions } from "../lens-types.ts";
import { checkCaptureLimit } from "../limits/capture-limit.ts";
import { sizeCapture } from "../plan/size-capture.ts";
import { withLensFields } from "../profiles/lens-fields.ts";
import { ownSalt } from "../profiles/own-salt.ts";
import type { AnyCapture } from "../requests/lens-request.ts";
import { LensOptionError } from "../profiles/lens-option-error.ts";
import type { LensProfile } from "../profiles/lens-profile.ts";
import { edits, exactTokens } from "../steering/exact-tokens.ts";
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
  /** The lowest layer that vectors or hooks of the request change; Infinity where there are none. */
  readonly changedFrom: number;
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
  const { profile } = core;
  const sized = await sizeCapture(core, request, options);
  const { model, layers, addSpecialTokens, gives } = sized;
  const {
    layers: _,
    split: __,
    verify: ___,
    steering,
    interventions,
    hooks,
    binary,
    ...fields
  } = sized.request;
  checkTransport(binary, profile);
  const { prompt, max_tokens: maxTokens } = fields;
  if (hooks !== undefined) checkHooks(hooks, model.layers.value);
  const bos = model.bosTokenId.value;
  if (typeof prompt !== "string" && bos !== undefined && prompt[0] === bos && prompt[1] === bos)
    throw doubleBos();
  const size = checkCaptureLimit(sized.question);
  // What the limit was counted with is not counted again.
  const known = sized.tokens.least === sized.tokens.most;
  const counted = { model: model.id, prompt, addSpecialTokens };
  const tokens = known
    ? sized.tokens
    : await exactTokens(core, edits(steering, interventions), counted, options);
  const steered = await prepareSteering(core, steering, { model, tokens, maxTokens, fields });
  const changes = prepareInterventions(profile, interventions, {
    model,
    positions: tokens.most + maxTokens - 1,
  });
  const body = withLensFields({ ...profile.capture.fields, ...fields, model: model.id }, profile, {
    layers: layers ?? "all",
    ...(hooks && ownSalt(profile, fields)),
    ...steered.fields,
    interventions: changes,
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
    changedFrom: Math.min(
      ...(steering ?? []).flatMap((vector) => vector.layers),
      ...(interventions ?? []).flatMap((one) => one.layers),
      ...(hooks ?? []).flatMap((hook) => hook.layer_indices),
    ),
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

function checkTransport(binary: boolean | undefined, { name, binary: route }: LensProfile): void {
  if (binary !== true || route !== undefined) return;
  throw new LensOptionError(
    `binary: true given; a server of the profile ${name} sends captures in the answer only, so leave it out`,
  );
}
