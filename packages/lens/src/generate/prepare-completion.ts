import { checkHooks } from "../hooks/hook-blob.ts";
import { prepareInterventions } from "../interventions/prepare-interventions.ts";
import type { LensCore } from "../lens-core.ts";
import type { CaptureCheck, LensOptions } from "../lens-types.ts";
import { withLensFields } from "../profiles/lens-fields.ts";
import { ownSalt } from "../profiles/own-salt.ts";
import { type AnyGenerate, checkGenerateRequest, checkTokenIds } from "../requests/lens-request.ts";
import { edits, exactTokens } from "../steering/exact-tokens.ts";
import { prepareSteering } from "../steering/prepare-steering.ts";

/** A steered completion that is checked and not yet sent. */
export interface PreparedCompletion {
  /** What is sent. */
  readonly body: object;
  /** What was checked before sending. */
  readonly checks: readonly CaptureCheck[];
}

/** Throws SteeringError or InvalidRequestError. */
export async function prepareCompletion(
  core: LensCore,
  request: AnyGenerate,
  options: LensOptions = {},
): Promise<PreparedCompletion> {
  const { client, profile } = core;
  const {
    steering,
    interventions,
    hooks,
    verify: _proven,
    ...fields
  } = checkGenerateRequest(request, client.profile);
  const model = await client.describe(fields.model, options);
  checkTokenIds(fields.prompt, model);
  if (hooks !== undefined) checkHooks(hooks, model.layers.value);
  const { prompt, add_special_tokens: special } = fields;
  const counted = { model: model.id, prompt, addSpecialTokens: special ?? true };
  const tokens = await exactTokens(core, edits(steering, interventions), counted, options);
  const maxTokens = fields.max_tokens ?? 16;
  const steered = await prepareSteering(core, steering, { model, tokens, maxTokens, fields });
  const changes = prepareInterventions(profile, interventions, {
    model,
    positions: tokens.most + maxTokens - 1,
  });
  // Beside echo, vLLM would leave the prompt out of the text.
  const told = fields["echo"] ? {} : profile.generateFields;
  return {
    body: withLensFields({ ...told, ...fields, model: model.id }, profile, {
      ...(hooks && ownSalt(profile, fields)),
      ...steered.fields,
      interventions: changes,
      hooks,
    }),
    checks: steered.checks,
  };
}
