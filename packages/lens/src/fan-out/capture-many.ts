import type { Completion } from "@residua/client";
import { prepareCapture } from "../capture/prepare-capture.ts";
import { readCapture } from "../capture/read-capture.ts";
import type { LensCore } from "../lens-core.ts";
import type { Capture, LensOptions } from "../lens-types.ts";
import { captureInParts } from "../plan/capture-in-parts.ts";
import { type AnyCapture, captureTemperature } from "../requests/lens-request.ts";
import { sendBody } from "../send-body.ts";
import type { CaptureOutcome, ManyOptions, ManyRun } from "./fan-out-types.ts";
import { proveOnce } from "./prove-once.ts";
import { type PreparedSingle, runMany } from "./run-many.ts";

/** Captures each choice of each prompt by a request of its own; every answer is verified as it is taken. */
export function captureMany(
  core: LensCore,
  requests: object,
  options: ManyOptions = {},
): ManyRun<CaptureOutcome> {
  const prove = proveOnce(core);
  return runMany(core, requests, options, {
    temperature: captureTemperature,
    prepare: ({ request, prompt }, each) =>
      prepareParts(core, request as AnyCapture, each, async (part, send) => {
        const prepared = await prepareCapture(core, part, each);
        const proven = (part.verify ?? false) === false ? [] : await prove(part, prompt, each);
        const sent = { ...prepared, checks: [...prepared.checks, ...proven] };
        return readCapture(core, sent, await send(prepared.body), each);
      }),
  });
}

/**
 * A capture whose first request is the run's to send. One that is too large (`split`) has more: they follow when the first
 * answer is read, one after the other.
 */
async function prepareParts(
  core: LensCore,
  request: AnyCapture,
  options: LensOptions,
  once: (part: AnyCapture, send: (body: object) => Promise<Completion>) => Promise<Capture>,
): Promise<PreparedSingle<{ capture: Capture }>> {
  let answer: ((completion: Completion) => void) | undefined;
  const further: Completion[] = [];
  return new Promise((resolve, reject) => {
    const send = async (body: object): Promise<Completion> => {
      if (answer !== undefined) {
        const completion = await sendBody(core, body, options);
        further.push(completion);
        return completion;
      }
      return new Promise((answered) => {
        answer = answered;
        resolve({
          body,
          further,
          async read(completion) {
            answered(completion);
            return { capture: await whole };
          },
        });
      });
    };
    const whole = captureInParts(core, request, options, (part) => once(part, send));
    // What goes wrong before the first request is ready is the reason why nothing is sent.
    whole.catch(reject);
  });
}
