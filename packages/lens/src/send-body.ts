import type { Completion, CompletionRequest, ProfileName } from "@residua/client";
import type { LensCore } from "./lens-core.ts";
import type { LensOptions } from "./lens-types.ts";
import { explainFault } from "./verify/nan-poisoning.ts";

/** Sends a prepared body as one completion that is not streamed. Throws what the client does, and `nan_poisoning`. */
export async function sendBody(
  { client }: Pick<LensCore, "client">,
  body: object,
  options: LensOptions,
): Promise<Completion> {
  try {
    const request = body as CompletionRequest<ProfileName> & { stream?: false };
    return await client.completions.create(request, options);
  } catch (error) {
    throw explainFault(error);
  }
}
