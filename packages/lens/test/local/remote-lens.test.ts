import { ResiduaError } from "@residua/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createLens } from "../../src/create-lens.ts";
import { intervention } from "../../src/interventions/intervention.ts";
import type { Lens } from "../../src/lens-types.ts";
import { lensProfiles } from "../../src/profiles/choose-profile.ts";
import { withLensFields } from "../../src/profiles/lens-fields.ts";
import { replayServer, type ReplayServer, rightAnswer, tiny } from "../replay-server.ts";

let server: ReplayServer;
let lens: Lens;
beforeAll(async () => {
  server = await replayServer([tiny], (request) => rightAnswer(request));
  lens = createLens(server.client);
});
afterAll(() => server.close());

const change = intervention({ kind: "ablate", direction: [1, 2, 3, 4, 5, 6, 7, 8], layers: [1] });

describe("a lens that reads a server", () => {
  test.each<[string, (lens: Lens) => Promise<unknown>]>([
    ["lens.local.logitLens", ({ local }) => local.logitLens({ prompt: "x" })],
    ["lens.local.topTokens", ({ local }) => local.topTokens([1])],
    ["lens.local.unembedding", ({ local }) => local.unembedding(1)],
    ["lens.local.embedding", ({ local }) => local.embedding(1)],
    ["interventions", (it) => it.capture({ prompt: [0, 5], layers: [1], interventions: [change] })],
    ["interventions", (it) => it.generate({ prompt: [0, 5], max_tokens: 2, interventions: [change] })],
  ])("has no %s, and says what to use", async (name, ask) => {
    const error = (await ask(lens).catch((thrown: unknown) => thrown)) as ResiduaError;
    expect(error).toBeInstanceOf(ResiduaError);
    expect(error.code).toBe("not_available");
    expect(error.message.startsWith(name)).toBe(true);
    expect(error.message).toMatch(/openLocal/);
    expect(error.data).toMatchObject({ ability: name.replace("lens.local.", ""), profile: "acs" });
  });

  test("has no layer −1, by name, and sends nothing", async () => {
    const sent = server.requests.length;
    const asked = lens.capture({ prompt: [0, 5], layers: [0, -1] });
    await expect(asked).rejects.toMatchObject({ code: "invalid_request" });
    await expect(asked).rejects.toThrow(
      /layers\[1\]: -1;.*−1, the token embeddings, of a local model only \(openLocal/,
    );
    await expect(lens.planCapture({ prompts: [[0, 5]], layers: [-1] })).rejects.toThrow(/openLocal/);
    expect(server.requests).toHaveLength(sent);
  });

  test("takes an empty list of interventions for none", async () => {
    expect((await lens.capture({ prompt: [0, 5], layers: [1], interventions: [] })).positions).toBe(2);
  });
});

test("layer −1 is asked for apart, where a profile has it", () => {
  const { acs } = lensProfiles;
  const profile = { ...acs, capture: { ...acs.capture, embeddings: ["own"] } };
  const written = (layers: readonly number[] | "all") => withLensFields({}, profile, { layers });
  expect(written([-1, 0, 2])).toEqual({ output_residual_stream: [0, 2], own: true });
  expect(written([-1])).toEqual({ own: true });
  expect(written([0])).toEqual({ output_residual_stream: [0] });
  expect(written("all")).toEqual({ output_residual_stream: true });
});
