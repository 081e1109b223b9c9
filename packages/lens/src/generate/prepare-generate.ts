import { wireVectors } from "../capture/prepare-capture.ts";
import { checkHooks } from "../hooks/hook-blob.ts";
import type { LensCore } from "../lens-core.ts";
import type { LensOptions } from "../lens-types.ts";
import { tokenBounds } from "../limits/capture-limit.ts";
import { withLensFields } from "../profiles/lens-fields.ts";
import { type AnyGenerate, checkGenerateRequest, checkTokenIds } from "../requests/lens-request.ts";

/** The body of a steered completion, checked and not yet sent. Throws SteeringError or InvalidRequestError. */
export async function prepareGenerate(
  { client, profile }: LensCore,
  request: AnyGenerate,
  options: LensOptions = {},
): Promise<object> {
  const { steering, hooks, ...fields } = checkGenerateRequest(request, client.profile);
  const model = await client.describe(fields.model, options);
  checkTokenIds(fields.prompt, model);
  if (hooks !== undefined) checkHooks(hooks, model.layers.value);
  const tokens = tokenBounds(fields.prompt, fields.add_special_tokens ?? true);
  const positions = tokens.most + (fields.max_tokens ?? 16) - 1;
  return withLensFields({ ...fields, model: model.id }, profile, {
    steering: wireVectors(steering, model, positions),
    hooks,
  });
}
