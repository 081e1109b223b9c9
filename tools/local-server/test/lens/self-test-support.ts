import { createClient } from "@residua/client";
import { createLens, type SelfTestOptions, type SelfTestReport } from "@residua/lens";
import type { Model } from "@residua/engine";
import type { ProfileName } from "../../src/profile.ts";
import { start } from "../support.ts";

export interface SelfTestScene extends SelfTestOptions {
  profile?: "acs" | "vllm";
  /** Misbehaviours that every request meets. */
  quirks?: readonly string[];
  /** Changes each body of a completion on its way: a server that reads it so. */
  bend?: (body: Record<string, unknown>) => unknown;
}

/** Starts a server over a model that is loaded already, and tests it. */
export async function testServer(
  model: Model,
  { profile = "acs", quirks = [], bend, ...options }: SelfTestScene = {},
): Promise<SelfTestReport> {
  const running = await start({ model, profile: profile satisfies ProfileName, quirks, drainTimeout: 50 });
  const client = createClient({
    baseURL: running.server.url,
    profile,
    apiKey: "",
    ...(bend && { fetch: bending(bend) }),
  });
  try {
    return await createLens(client).selfTest({ model: "tiny", ...options });
  } finally {
    await client.close();
    await running.server.close();
  }
}

function bending(bend: NonNullable<SelfTestScene["bend"]>): typeof fetch {
  return (input, init) => {
    if (typeof init?.body !== "string") return fetch(input, init);
    const body = bend(JSON.parse(init.body) as Record<string, unknown>);
    return fetch(input, { ...init, body: JSON.stringify(body) });
  };
}

/** Codes of the results with a status. */
export const codesOf = ({ results }: SelfTestReport, status: string): string[] =>
  results.filter((result) => result.status === status).map(({ code }) => code);
