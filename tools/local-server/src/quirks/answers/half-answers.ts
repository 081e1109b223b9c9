import { defineQuirk } from "../quirk.ts";
import { socketOf } from "./socket-of.ts";
import { isEventStream, isJson, withBody } from "./change-json.ts";

export const cutAnswer = defineQuirk({
  name: "cut-answer",
  wrong: "the answer ends in its middle as if it were whole",
  seen: "a gateway whose own upstream was cut off (the hosted API's documentation: a stream without [DONE] did not finish)",
  caught: { by: "@residua/client", code: "incomplete_response", note: "after its retries" },
  act: () => ({ answer: (response) => half(response, (controller) => controller.close()) }),
});

export const brokenAnswer = defineQuirk({
  name: "broken-answer",
  wrong: "the connection is reset in the middle of the answer",
  seen: "a server that was killed, or a proxy that ran into a limit",
  caught: { by: "@residua/client", code: "connection_error", note: "after its retries" },
  act: () => ({
    answer: (response, context) => half(response, () => socketOf(context)?.destroySoon()),
  }),
});

export const stall = defineQuirk({
  name: "stall",
  wrong: "the answer stops in its middle and the connection stays open",
  seen: "a server that hangs; the hosted API during a cold boot",
  caught: {
    by: "@residua/client",
    code: "timeout",
    note: "when its timeout is set: the default allows 15 minutes",
  },
  act: () => ({ answer: (response) => half(response, () => undefined) }),
});

/** The first half of a JSON answer, or the first event of a stream; then `end`. */
async function half(
  response: Response,
  end: (controller: ReadableStreamDefaultController<Uint8Array>) => void,
): Promise<Response> {
  if (isJson(response)) {
    const bytes = new Uint8Array(await response.arrayBuffer());
    return withBody(response, thenEnd(bytes.subarray(0, bytes.length >> 1), end));
  }
  if (!isEventStream(response) || response.body === null) return response;
  const reader = response.body.getReader();
  const { value } = await reader.read();
  await reader.cancel();
  return withBody(response, thenEnd(value ?? new Uint8Array(), end));
}

function thenEnd(
  bytes: Uint8Array,
  end: (controller: ReadableStreamDefaultController<Uint8Array>) => void,
): ReadableStream<Uint8Array> {
  let sent = false;
  return new ReadableStream({
    async pull(controller) {
      if (!sent) {
        sent = true;
        controller.enqueue(bytes);
        return undefined;
      }
      end(controller);
      // Of a stream that is still open nothing more is asked for.
      return new Promise(() => undefined);
    },
  });
}
