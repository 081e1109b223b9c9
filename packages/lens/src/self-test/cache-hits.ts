import type { Completion } from "@residua/client";
import { serverCounter } from "../verify/server-counter.ts";
import { metricsText } from "./probe-server.ts";
import type { SelfTestRequests } from "./self-test-requests.ts";

/**
 * Sends, and tells how many prompt tokens came out of the prefix cache: from the answer's usage, else from vLLM's counter, to which
 * requests of others add. Undefined where neither tells.
 */
export async function cacheHits(
  requests: SelfTestRequests,
  send: () => Promise<Completion>,
): Promise<{ completion: Completion; hits: number | undefined }> {
  const before = await counter(requests);
  const completion = await send();
  const cached = completion.usage?.prompt_tokens_details?.["cached_tokens"];
  if (typeof cached === "number") return { completion, hits: cached };
  const after = before === undefined ? undefined : await counter(requests);
  return { completion, hits: before === undefined || after === undefined ? undefined : after - before };
}

async function counter(requests: SelfTestRequests): Promise<number | undefined> {
  return serverCounter(await metricsText(requests), "vllm:prefix_cache_hits_total");
}
