import { type Completion, createClient } from "@residua/client";
import { describe, expect, it } from "vitest";
import { createLens } from "../../src/create-lens.ts";
import { lensProfiles } from "../../src/profiles/choose-profile.ts";
import type { LensCore } from "../../src/lens-core.ts";
import { sizeCapture } from "../../src/plan/size-capture.ts";
import { type LensProfile, readLensProfile } from "../../src/profiles/lens-profile.ts";
import { serverFacts } from "../../src/profiles/server-facts.ts";
import { makeBehaviours, type ServerBehaviour } from "../../src/self-test/server-behaviour.ts";
import { steeringVector } from "../../src/steering/steering-vector.ts";
import { jsonServer } from "../json-server.ts";
import { rightAnswer } from "../replay-server.ts";
import { codeOf, vllmAt } from "../recorded/vllm-replay.ts";

/** A server of 5 layers that captures those asked, or all of them. */
const capturing = (layers?: number[]) => (asked: { path: string; body: unknown }) => {
  if (asked.path !== "/v1/completions") return undefined;
  const { vllm_xargs: xargs, ...body } = asked.body as Record<string, never>;
  const list = JSON.parse(
    (xargs as unknown as Record<string, string>)["output_residual_stream"] ?? "[]",
  ) as number[];
  const answer = rightAnswer({
    ...body,
    model: "smollm2",
    prompt: [5, 6],
    output_residual_stream: layers ?? list,
  });
  return { body: { ...answer, system_fingerprint: "vllm-0.16.0-1" } };
};
const request = { prompt: [5, 6], layers: [3, 1] };
const all = [0, 1, 2, 3, 4];

describe("C7: vllm-lens 1.0 and 1.1 capture every layer, whatever a text asks", () => {
  it.each(["vllm-lens-1.0", "vllm-lens-1.1"] as const)("%s: those asked are cut out", async (profile) => {
    const { lens, completions } = await vllmAt(capturing(all), {
      profile,
      models: { smollm2: { layers: 5 } },
    });
    const capture = await lens.capture(request);
    // A list is what the vLLM of these versions refuses.
    expect(completions()[0]?.body).toMatchObject({ vllm_xargs: { output_residual_stream: "[1,3]" } });
    expect(capture.layers).toEqual([1, 3]);
    const whole = await (await vllmAt(capturing())).lens.capture(request);
    for (const layer of [1, 3]) expect(capture.layer(layer)).toEqual(whole.layer(layer));
    expect(capture.checks).toContainEqual({
      code: "layer_count",
      status: "pass",
      detail: "the server captured all 5 layers; the 2 asked were cut out",
    });
    expect(capture.server).toMatchObject({ profile, normMatch: "delta", fingerprint: "vllm-0.16.0-1" });
  });

  it("the limit counts the layers that the server computes", async () => {
    const models = { smollm2: { layers: 80, hiddenSize: 16384, vocabSize: 49152 } };
    const { lens, completions } = await vllmAt(capturing(), { profile: "vllm-lens-1.1", models });
    const prompt = Array<number>(100).fill(5);
    expect(await codeOf(lens.capture({ prompt, layers: [3] }))).toBe("capture_too_large");
    expect(completions()).toHaveLength(0);
  });

  it("a newer version that captures every layer is refused, with what to do", async () => {
    const { lens } = await vllmAt(capturing(all), { models: { smollm2: { layers: 5 } } });
    await expect(lens.capture(request)).rejects.toThrow('createLens(client, { profile: "vllm-lens-1.1" })');
  });
});

describe("versions of vllm-lens", () => {
  it("differ as their releases do", () => {
    const facts = Object.values(lensProfiles).map(({ name, capture, steering, binary, pluginRoute }) => [
      name,
      capture.gives ?? "asked",
      steering.norm,
      binary !== undefined,
      pluginRoute !== undefined,
    ]);
    expect(facts).toEqual([
      ["acs", "asked", undefined, false, false],
      ["vllm", "asked", "stream", true, true],
      ["vllm-lens-1.0", "all", "delta", false, false],
      ["vllm-lens-1.1", "all", "delta", false, false],
      ["vllm-lens-1.2", "asked", "stream", false, true],
      ["vllm-lens-1.3", "asked", "stream", true, true],
    ]);
  });

  it("C6: a capture says what norm_match means at its server, and which server that was", async () => {
    const { lens } = await vllmAt(capturing());
    expect((await lens.capture(request)).server).toEqual({
      profile: "vllm",
      version: "vllm-lens 1.2 or 1.3",
      fingerprint: "vllm-0.16.0-1",
      checkpoint: "SmolLM2",
      normMatch: "stream",
    });
    expect(lens.profile).toBe(lensProfiles.vllm);
  });

  it("C6: what a self-test measured of norm_match wins", async () => {
    const { client } = await vllmAt(() => undefined);
    const model = await client.describe("smollm2");
    const said = (profile: LensProfile, found: ServerBehaviour) => {
      const behaviours = makeBehaviours();
      behaviours.learn("smollm2", found);
      return serverFacts({ profile, behaviours }, model, {} as Completion).normMatch;
    };
    expect(said(lensProfiles.vllm, { normMatch: "other" })).toBe("other");
    expect(said(lensProfiles["vllm-lens-1.1"], { normMatch: "stream" })).toBe("stream");
    expect(said(lensProfiles["vllm-lens-1.1"], {})).toBe("delta");
    expect(said(lensProfiles.acs, {})).toBeUndefined();
  });

  it("C7: what a self-test found of layers wins", async () => {
    const { client } = await vllmAt(() => undefined, { models: { smollm2: { layers: 80, hiddenSize: 64 } } });
    const counted = async (profile: LensProfile, found: ServerBehaviour) => {
      const behaviours = makeBehaviours();
      behaviours.learn("smollm2", found);
      const core = { client, profile, behaviours } as unknown as LensCore;
      const { gives, question } = await sizeCapture(core, { model: "smollm2", ...request }, {});
      return [gives, question.layers];
    };
    expect(await counted(lensProfiles.vllm, {})).toEqual(["asked", 2]);
    expect(await counted(lensProfiles.vllm, { layers: "all" })).toEqual(["all", 80]);
    expect(await counted(lensProfiles["vllm-lens-1.0"], {})).toEqual(["all", 80]);
    expect(await counted(lensProfiles["vllm-lens-1.0"], { layers: "honoured" })).toEqual(["asked", 2]);
  });

  it("are all profiles as data", () => {
    for (const profile of Object.values(lensProfiles)) expect(readLensProfile(profile)).toEqual(profile);
  });

  it("an unknown one is refused by name, and one as data with its field", async () => {
    const { client } = await vllmAt(() => undefined);
    expect(() => createLens(client, { profile: "vllm-lens-2.0" as "vllm" })).toThrow(
      "allowed: acs, vllm, vllm-lens-1.0",
    );
    const data = { ...lensProfiles.vllm, answer: [], extra: 1 };
    expect(() => createLens(client, { profile: data })).toThrow(/answer: .*extra/);
  });
});

it("a server of its own kind: fields named otherwise, by data", async () => {
  const server = await jsonServer(({ path, body }) => {
    if (path === "/v1/models") return { body: { object: "list", data: [{ id: "own" }] } };
    const { probe, ...rest } = body as { probe: { layers: number[] } };
    const { activations, ...answer } = rightAnswer({
      ...rest,
      model: "own",
      prompt: [5, 6],
      output_residual_stream: probe.layers,
    });
    const stream = (activations as { residual_stream: object }).residual_stream;
    return { body: { ...answer, probed: { hidden: stream, other: 1 } } };
  });
  const client = createClient({
    baseURL: `${server.url}/v1`,
    extraFields: ["probe", "nudge"],
    maxRetries: 0,
  });
  const lens = createLens(client, {
    profile: {
      name: "own",
      version: "7",
      capture: { path: ["probe", "layers"], form: "list", all: true, repeated: "merge", fields: {} },
      answer: ["probed", "hidden"],
      steering: { path: ["nudge"], form: "list" },
      limits: { captureNumbers: 1e6, steeringVectors: 2, steeringNumbers: 1000 },
      missing: ["it was not asked for"],
    },
  });
  const steering = [steeringVector({ rows: { 1: Array<number>(8).fill(1) } })];
  const capture = await lens.capture({ ...request, steering });
  expect(capture.layers).toEqual([1, 3]);
  expect(capture.completion["probed"]).toEqual({ other: 1 });
  expect(capture.server).toMatchObject({ profile: "own", version: "7", normMatch: undefined });
  expect(server.asked.at(-1)?.body).toMatchObject({
    probe: { layers: [1, 3] },
    nudge: [{ layer_indices: [1] }],
  });
  await client.close();
  await server.close();
});
