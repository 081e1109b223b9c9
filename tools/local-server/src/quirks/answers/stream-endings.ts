import { defineQuirk } from "../quirk.ts";
import { isEventStream, withBody } from "./change-json.ts";

export const streamWithoutDone = defineQuirk({
  name: "stream-without-done",
  wrong: "a stream ends without data: [DONE]",
  seen: "an earlier version of the hosted API after an error; any gateway whose upstream went away",
  caught: { by: "@residua/client", code: "stream_interrupted", note: "with what arrived" },
  act: () => ({
    answer: (response) => changeEvents(response, (event) => (event === "data: [DONE]" ? [] : [event])),
  }),
});

export const streamError = defineQuirk({
  name: "stream-error",
  wrong: 'a stream begins, then sends data: {"error": …} and [DONE]: the choices are not finished',
  seen: "vLLM 0.30.0, seen live, for errors inside the generation; the hosted API's documentation",
  caught: { by: "@residua/client", code: "server_restarting", note: "not sent again: text had come" },
  act: () => ({
    answer: (response) => {
      const error = {
        message: "the model's server restarts",
        type: "server_error",
        code: "server_restarting",
      };
      const frame = `data: ${JSON.stringify({ error: { ...error, retryable: true } })}`;
      let events = 0;
      return changeEvents(response, (event) => {
        events++;
        return events === 1 ? [event] : events === 2 ? [frame, "data: [DONE]"] : null;
      });
    },
  }),
});

/** A stream with other events; null ends it, and what still writes it is told to stop. */
function changeEvents(response: Response, change: (event: string) => string[] | null): Response {
  if (!isEventStream(response) || response.body === null) return response;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  const encoder = new TextEncoder();
  let text = "";
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      for (;;) {
        const { value, done } = await reader.read();
        if (done) return controller.close();
        text += value;
        let wrote = false;
        for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
          const events = change(text.slice(0, end));
          text = text.slice(end + 2);
          if (events === null) {
            await reader.cancel();
            return controller.close();
          }
          for (const event of events) {
            controller.enqueue(encoder.encode(`${event}\n\n`));
            wrote = true;
          }
        }
        if (wrote) return undefined;
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return withBody(response, stream);
}
