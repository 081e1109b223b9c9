import type { ClientCore } from "../client-core.ts";
import type { RequestOptions } from "../client-types.ts";
import { APIAbortError } from "../transport/api-error.ts";
import type { Knowledge } from "./rules/request-facts.ts";

/** Milliseconds after which a catalogue that could not be read is asked again. */
const patience = 30_000;

/** Asks the catalogue about a model, once and without retries: a request is not kept waiting for it. */
export function makeModelKnowledge(core: Pick<ClientCore, "describe">) {
  let failure: { reason: string; at: number } | undefined;

  return async (model: string | undefined, options: RequestOptions): Promise<Knowledge> => {
    if (failure !== undefined && performance.now() - failure.at < patience)
      return { modelReason: failure.reason };
    try {
      return { model: await core.describe(model, { ...options, maxRetries: 0 }) };
    } catch (error) {
      if (options.signal?.aborted) throw new APIAbortError();
      const reason = `the catalogue could not be read (${(error as Error).message.slice(0, 200)})`;
      failure = { reason, at: performance.now() };
      return { modelReason: reason };
    }
  };
}
