import type { Client, ProfileName } from "@residua/client";
import { flag, kind, type Kind } from "./arguments/kinds.ts";
import { encodeServerChat } from "./chat/server-chat.ts";
import { prepareCapture } from "./capture/prepare-capture.ts";
import { readCapture } from "./capture/read-capture.ts";
import { prepareCompletion } from "./generate/prepare-completion.ts";
import { withChecks } from "./generate/with-checks.ts";
import { captureMany } from "./fan-out/capture-many.ts";
import { fansOut } from "./fan-out/expand-request.ts";
import { generateAll, generateMany } from "./fan-out/generate-many.ts";
import { makeHooks } from "./hooks/make-hooks.ts";
import type { LensCore } from "./lens-core.ts";
import type { Lens } from "./lens-types.ts";
import { noLocalAbilities } from "./local/no-local-abilities.ts";
import { captureInParts } from "./plan/capture-in-parts.ts";
import { makeCaptureRates } from "./plan/capture-rates.ts";
import { planCapture } from "./plan/plan-capture.ts";
import { chooseProfile, lensProfiles, type LensProfileName } from "./profiles/choose-profile.ts";
import type { LensProfile } from "./profiles/lens-profile.ts";
import { selfTest } from "./self-test/self-test.ts";
import { checkLensOptions, checkOptions } from "./requests/check-options.ts";
import { type AnyGenerate, checkGenerateRequest } from "./requests/lens-request.ts";
import { provenIfAsked, verifySteering } from "./steering/proof/verify-steering.ts";
import { makeBehaviours } from "./self-test/server-behaviour.ts";
import { makeTokenSource } from "./tokens/token-source.ts";
import { sendBody } from "./send-body.ts";
import { verifyNotPoisoned } from "./verify/nan-poisoning.ts";
import { makeRowMemory } from "./verify/row-memory.ts";

export interface CreateLensOptions {
  /** How the server takes captures and steering. Default: as the client's profile says. */
  profile?: LensProfileName | LensProfile;
  /** Reads a vLLM server's count of preempted requests before and after each capture: check `preemptions`. Default false. */
  watchPreemptions?: boolean;
}

const createLensKinds = {
  profile: kind(
    `one of ${Object.keys(lensProfiles).join(", ")}, or a profile as data`,
    (value) => typeof value === "string" || (typeof value === "object" && value !== null),
  ),
  watchPreemptions: flag,
} satisfies Record<keyof CreateLensOptions, Kind>;

/**
 * Captures and steers through a client. What one capture shows of a model's width serves the checks of later ones. Throws
 * `invalid_option` for a kind of server that does neither.
 */
export function createLens<P extends ProfileName = "acs">(
  client: Client<P>,
  options: CreateLensOptions = {},
): Lens<P> {
  const { profile, watchPreemptions = false } = checkOptions(options, createLensKinds);
  const core: LensCore = {
    client,
    tokens: makeTokenSource(client),
    rows: makeRowMemory(),
    watchPreemptions,
    profile: chooseProfile(profile, client.profile),
    behaviours: makeBehaviours(),
    rates: makeCaptureRates(),
  };
  return Object.freeze<Lens<P>>({
    profile: core.profile,
    describe: (model) => client.describe(model),
    capture: async (request, options = {}) =>
      captureInParts(core, request, checkLensOptions(options), async (part) => {
        const prepared = await prepareCapture(core, part, options);
        const proven = await provenIfAsked(core, part, options);
        const sent = { ...prepared, checks: [...prepared.checks, ...proven] };
        const started = performance.now();
        const completion = await sendBody(core, prepared.body, options);
        const seconds = (performance.now() - started) / 1000;
        const capture = await readCapture(core, sent, completion, options);
        core.rates.note(capture, seconds);
        return capture;
      }),
    local: noLocalAbilities(core.profile),
    planCapture: async (request, options = {}) => planCapture(core, request, checkLensOptions(options)),
    encodeChat: async (request, options) => encodeServerChat(core, request, options),
    hooks: makeHooks(core),
    captureMany: (requests, options) => captureMany(core, requests, options),
    generateMany: (requests, options) => generateMany(core, requests, options),
    async generate(request, options = {}) {
      checkLensOptions(options);
      if (fansOut(request)) return generateAll(core, request, options);
      const { body, checks } = await prepareCompletion(core, request as AnyGenerate, options);
      const proven = await provenIfAsked(core, request as AnyGenerate, options);
      const completion = await sendBody(core, body, options);
      verifyNotPoisoned(body, completion);
      return withChecks(completion, [...checks, ...proven]);
    },
    async verifySteering(request, options = {}) {
      checkGenerateRequest(request, client.profile);
      return verifySteering(core, request, checkLensOptions(options));
    },
    selfTest: (options) => selfTest(core, options),
    fingerprint: (model) => core.behaviours.fingerprint(model),
  });
}
