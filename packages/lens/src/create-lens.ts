import type { Client, Completion, CompletionRequest, ProfileName } from "@residua/client";
import { prepareCapture } from "./capture/prepare-capture.ts";
import { readCapture } from "./capture/read-capture.ts";
import { prepareGenerate } from "./generate/prepare-generate.ts";
import { captureMany } from "./fan-out/capture-many.ts";
import { fansOut } from "./fan-out/expand-request.ts";
import { generateAll, generateMany } from "./fan-out/generate-many.ts";
import { makeHooks } from "./hooks/make-hooks.ts";
import type { LensCore } from "./lens-core.ts";
import type { Lens, LensOptions } from "./lens-types.ts";
import { captureInParts } from "./plan/capture-in-parts.ts";
import { makeCaptureRates } from "./plan/capture-rates.ts";
import { planCapture } from "./plan/plan-capture.ts";
import { chooseProfile, type lensProfiles } from "./profiles/choose-profile.ts";
import type { LensProfile } from "./profiles/lens-profile.ts";
import type { AnyGenerate } from "./requests/lens-request.ts";
import { makeBehaviours } from "./self-test/server-behaviour.ts";

export interface CreateLensOptions {
  /** How the server takes captures and steering. Default: as the client's profile says. */
  profile?: keyof typeof lensProfiles | LensProfile;
}

/**
 * Captures and steers through a client. What one capture shows of a model's width serves the checks of later ones. Throws
 * `invalid_option` for a kind of server that does neither.
 */
export function createLens<P extends ProfileName = "acs">(
  client: Client<P>,
  { profile }: CreateLensOptions = {},
): Lens<P> {
  const core: LensCore = {
    client: client,
    profile: chooseProfile(profile, client.profile),
    behaviours: makeBehaviours(),
    rates: makeCaptureRates(),
  };
  const send = (body: object, options: LensOptions): Promise<Completion> =>
    client.completions.create(body as CompletionRequest<P> & { stream?: false }, options);

  return Object.freeze<Lens<P>>({
    describe: (model) => client.describe(model),
    capture: (request, options = {}) =>
      captureInParts(core, request, options, async (part) => {
        const prepared = await prepareCapture(core, part, options);
        const started = performance.now();
        const completion = await send(prepared.body, options);
        const seconds = (performance.now() - started) / 1000;
        const capture = await readCapture(core, prepared, completion);
        core.rates.note(capture, seconds);
        return capture;
      }),
    planCapture: (request, options = {}) => planCapture(core, request, options),
    hooks: makeHooks(core),
    captureMany: (requests, options) => captureMany(core, requests, options),
    generateMany: (requests, options) => generateMany(core, requests, options),
    async generate(request, options = {}) {
      if (fansOut(request)) return generateAll(core, request, options);
      return send(await prepareGenerate(core, request as AnyGenerate, options), options);
    },
  });
}
