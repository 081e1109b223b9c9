import { prepareCapture } from "../capture/prepare-capture.ts";
import { readCapture } from "../capture/read-capture.ts";
import type { LensCore } from "../lens-core.ts";
import { type AnyCapture, captureTemperature } from "../requests/lens-request.ts";
import type { CaptureOutcome, ManyOptions, ManyRun } from "./fan-out-types.ts";
import { proveOnce } from "./prove-once.ts";
import { runMany } from "./run-many.ts";

/** Captures each choice of each prompt by a request of its own; every answer is verified as it is taken. */
export function captureMany(
  core: LensCore,
  requests: object,
  options: ManyOptions = {},
): ManyRun<CaptureOutcome> {
  const prove = proveOnce(core);
  return runMany(core, requests, options, {
    temperature: captureTemperature,
    async prepare({ request, prompt }, each) {
      const prepared = await prepareCapture(core, request as AnyCapture, each);
      const proven = await prove(request as AnyCapture, prompt, each);
      const sent = { ...prepared, checks: [...prepared.checks, ...proven] };
      return {
        body: sent.body,
        read: async (completion) => ({ capture: await readCapture(core, sent, completion, each) }),
      };
    },
  });
}
