import { setTimeout as wait } from "node:timers/promises";
import { defineQuirk } from "../quirk.ts";
import { isJson, withBody } from "./change-json.ts";
import { gatewayError } from "./gateway-error.ts";

/** Blocks of 1024 spaces, and milliseconds before each of them and before the answer. */
const slowBootTimes = { blocks: 3, interval: 150 } as const;

const earlier = "an earlier version of the hosted API (a block of 1 KiB each 5 s, for minutes)";

export const slowBoot = defineQuirk({
  name: "slow-boot",
  wrong: `a 200 at once, then ${slowBootTimes.blocks} times 1024 spaces, then the JSON: an error comes under a 200 too`,
  seen: earlier,
  caught: { by: null, note: "the client waits and reads the answer; an error under the 200 is an APIError" },
  act: () => ({ answer: (response) => (isJson(response) ? lateAnswer(response) : response) }),
});

export const failedBoot = defineQuirk({
  name: "failed-boot",
  wrong: "a 200 at once, then spaces, then an error: the model did not come up",
  seen: earlier,
  caught: { by: "@residua/client", code: "modal_cold_boot", note: "after its retries" },
  act: () => ({
    instead: (context) =>
      lateAnswer(
        gatewayError(context, {
          status: 200,
          code: "modal_cold_boot",
          type: "upstream_not_ready",
          message: "the model did not come up in time",
          more: { upstream_status: 503, retryable: true, retry_after_seconds: null },
        }),
      ),
  }),
});

function lateAnswer(response: Response): Response {
  const reader = response.body?.getReader();
  let sent = 0;
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (sent <= slowBootTimes.blocks) await wait(slowBootTimes.interval);
      if (sent++ < slowBootTimes.blocks) {
        controller.enqueue(new TextEncoder().encode(" ".repeat(1024)));
        return;
      }
      const next = await reader?.read();
      if (next?.value === undefined) controller.close();
      else controller.enqueue(next.value);
    },
    cancel: (reason) => reader?.cancel(reason),
  });
  return withBody(response, stream, 200);
}
