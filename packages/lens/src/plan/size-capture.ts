import type { ModelDescription, PromptCount } from "@residua/client";
import type { LensCore } from "../lens-core.ts";
import type { LensOptions } from "../lens-types.ts";
import { lowestLayer } from "../layers/lowest-layer.ts";
import { resolveLayers } from "../layers/resolve-layers.ts";
import type { LensProfile } from "../profiles/lens-profile.ts";
import type { ServerBehaviour } from "../self-test/server-behaviour.ts";
import { countedWidth, judgeCapture, type LimitQuestion, tokenBounds } from "../limits/capture-limit.ts";
import {
  type AnyCapture,
  checkCaptureRequest,
  type CheckedCapture,
  checkTokenIds,
} from "../requests/lens-request.ts";

/** A capture request, checked, with what is known of its size. */
export interface SizedCapture {
  /** With its defaults. */
  readonly request: CheckedCapture;
  readonly model: ModelDescription;
  /** Ascending; undefined for all layers of a model whose number of layers is not known. */
  readonly layers: readonly number[] | undefined;
  readonly addSpecialTokens: boolean;
  /** The layers that the answer will hold, which are those that count: those asked, or every layer. */
  readonly gives: "asked" | "all";
  readonly tokens: PromptCount;
  readonly question: LimitQuestion;
}

/**
 * A text is counted, by a tokenizer or the server, only where by its bytes it need not fit (`as needed`), `always` or
 * `never`. Throws InvalidRequestError.
 */
export async function sizeCapture(
  { client, profile, behaviours }: LensCore,
  given: AnyCapture,
  options: LensOptions,
  count: "as needed" | "always" | "never" = "as needed",
): Promise<SizedCapture> {
  const request = checkCaptureRequest(given, client.profile, lowestLayer(profile));
  const { prompt } = request;
  const addSpecialTokens = request.add_special_tokens ?? true;
  const model = await client.describe(request.model, options);
  const layers = resolveLayers(request.layers, model, profile.capture);
  checkTokenIds(prompt, model);
  const bounds = tokenBounds(prompt, addSpecialTokens);
  const gives = layersGiven(behaviours.of(model.id), profile);
  const question: LimitQuestion = {
    layers: gives === "all" ? (model.layers.value ?? layers?.length) : layers?.length,
    tokens: bounds,
    maxTokens: request.max_tokens,
    hiddenSize: countedWidth(model, client.profile),
    limit: profile.limits.captureNumbers,
  };
  const decides = layers !== undefined && question.hiddenSize !== undefined;
  const open = count === "as needed" ? decides && judgeCapture(question) !== "fits" : count === "always";
  const tokens: PromptCount =
    open && typeof prompt === "string"
      ? await client.countTokens(prompt, { model: model.id, addSpecialTokens, ...options })
      : { ...bounds, source: typeof prompt === "string" ? "bytes" : "ids" };
  return { request, model, layers, addSpecialTokens, gives, tokens, question: { ...question, tokens } };
}

/** What a self-test found, else what the profile says. */
function layersGiven({ layers: found }: ServerBehaviour, { capture }: LensProfile): "asked" | "all" {
  if (found === undefined) return capture.gives ?? "asked";
  return found === "all" ? "all" : "asked";
}
