import type { CaptureCheck } from "../lens-types.ts";
import type { LensCore } from "../lens-core.ts";
import { serverCounter } from "./server-counter.ts";

/** How many requests a vLLM server has preempted since it started (`vllm:num_preemptions_total`); undefined where it does not say. */
export async function countPreemptions(
  { client }: Pick<LensCore, "client">,
  signal?: AbortSignal,
): Promise<number | undefined> {
  try {
    const options = { maxRetries: 0, ...(signal && { signal }) };
    const { body } = await client.request({ path: "/metrics", root: true, bytes: true }, options);
    return serverCounter(new TextDecoder().decode(body as Uint8Array), "vllm:num_preemptions_total");
  } catch (error) {
    if (signal?.aborted) throw error;
    return undefined;
  }
}

/** What the counts before and after a request say. A preempted request may have been another one, so it is no error. */
export function preemptionCheck(before: number | undefined, after: number | undefined): CaptureCheck {
  const code = "preemptions";
  if (before === undefined || after === undefined)
    return { code, status: "unverified", detail: "the server does not say how many requests it preempted" };
  if (before === after) return { code, status: "pass", detail: "the server preempted no request meanwhile" };
  const detail = `the server preempted ${after - before} requests meanwhile, perhaps this one: see repeated_rows`;
  return { code, status: "unverified", detail };
}
