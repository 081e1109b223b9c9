import { type ClientOptions, createClient, type CompletionRequest } from "@residua/client";
import { createLens } from "../../src/create-lens.ts";
import { lensProfiles } from "../../src/profiles/choose-profile.ts";
import type { LensProfile } from "../../src/profiles/lens-profile.ts";
import { lensAt } from "../lens-at.ts";

/** A lens whose server takes captures of at most so many numbers. The model has 5 layers of 8 numbers. */
export async function lensWithLimit(
  captureNumbers: number,
  reply: (request: CompletionRequest) => unknown,
  options: ClientOptions = {},
  capture: Partial<LensProfile["capture"]> = {},
) {
  const { server } = await lensAt(reply);
  const { acs } = lensProfiles;
  const profile = {
    ...acs,
    name: "small",
    capture: { ...acs.capture, ...capture },
    limits: { ...acs.limits, captureNumbers },
  };
  const client = createClient({
    baseURL: server.client.baseURL,
    maxRetries: 0,
    onWarning: () => {},
    ...options,
  });
  return { server, client, lens: createLens(client, { profile }) };
}
