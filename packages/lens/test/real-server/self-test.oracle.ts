import { createClient } from "@residua/client";
import { afterAll, expect, test } from "vitest";
import { createLens } from "../../src/index.ts";

// A real vLLM with vllm-lens; run it with
// RESIDUA_ORACLE=http://127.0.0.1:PORT npx vitest run --root packages/lens test/real-server
const origin = process.env["RESIDUA_ORACLE"]!;
const client = createClient({ baseURL: `${origin}/v1`, profile: "vllm" });
afterAll(() => client.close());

test("vllm-lens 1.3 passes and fails as it was seen to", { timeout: 300_000 }, async () => {
  const { results, behaviours, fingerprint } = await createLens(client).selfTest();
  expect(fingerprint.plugin).toBe("vllm-lens >= 1.3");
  expect(Object.fromEntries(results.map(({ code, status }) => [code, status]))).toEqual({
    ...Object.fromEntries(
      ["S1", "S2", "S4", "S5", "S6", "S13", "S14", "S15", "S16", "S17", "S18"].map((code) => [code, "pass"]),
    ),
    ...Object.fromEntries(["S3", "S7", "S8", "S10", "S11", "S12"].map((code) => [code, "fail"])),
    S9: "not applicable",
    S19: "not applicable",
  });
  expect(behaviours).toMatchObject({
    layers: "honoured",
    normMatch: "stream",
    positions: "per pass",
    choices: "dropped",
    prompts: "first",
    streams: "dropped",
    prefixCache: "contaminated",
    cacheSalt: "isolates",
    binary: true,
  });
});
