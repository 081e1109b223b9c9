import { readFile } from "node:fs/promises";
import { intervention, steeringVector } from "@residua/lens";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { tensorCount } from "../../src/backend.ts";
import { engineVersion } from "../../src/engine-version.ts";
import { type LocalLens, openLocal } from "../../src/local/open-local.ts";
import { loadModel, type Model } from "../../src/model.ts";
import { ggufModel, tinyModel } from "../support.ts";

let model: Model;
let lens: LocalLens;
beforeAll(async () => {
  model = await loadModel(tinyModel);
  lens = await openLocal(model, { modelId: "tiny" });
});
afterAll(() => model.dispose());
const prompt = "The city of Paris is in";

describe("a local lens", () => {
  test("knows its model, and every token's id and text", async () => {
    expect(await lens.describe()).toMatchObject({
      id: "tiny",
      layers: { value: 6, source: "catalogue" },
      hiddenSize: { value: 96 },
      checkpoint: { value: "residua/tiny" },
    });
    const capture = await lens.capture({ prompt, layers: "all", max_tokens: 3 });
    expect(capture.server).toMatchObject({ profile: "local", version: `@residua/engine ${engineVersion}` });
    expect(capture.tokens.every(({ id }) => id !== null)).toBe(true);
    expect(capture.checks.filter(({ status }) => status !== "pass")).toEqual([]);
    // Position 0 of ids, which the hosted API does not name.
    const ids = capture.tokens.slice(1).map(({ id }) => id!);
    const again = await lens.capture({ prompt: ids, layers: [2] });
    expect(again.tokens.map(({ text }) => text).join("")).toBe(
      capture.tokens.map(({ text }) => text ?? "").join("") + again.tokens.at(-1)!.text,
    );
  });

  test("plans, fans out and proves steering", async () => {
    const plan = await lens.planCapture({ prompts: [prompt, "The"], layers: [1, 2] });
    expect(plan.requests).toBe(2);
    const vector = steeringVector({
      rows: { 2: Array.from({ length: 96 }, (_, i) => (i % 7) - 3) },
      scale: 2,
    });
    const steered = await lens.generate({
      prompt,
      max_tokens: 4,
      temperature: 0,
      steering: [vector],
      verify: true,
    });
    expect(steered.checks.some(({ code, status }) => code === "steering_delta" && status === "pass")).toBe(
      true,
    );
    expect((await lens.verifySteering({ prompt, steering: [vector] })).layers).toHaveLength(1);
    const several = await lens.generate({ prompt: [prompt, "The"], n: 2, seed: 3, max_tokens: 3 });
    expect(several.choices).toHaveLength(4);
  });

  test("captures of one moment share passes, and have the bits of captures one by one", async () => {
    const prompts = ["The city of Rome is in Asia.", prompt, "The", "Calling something gripping is"];
    const before = model.stats().promptTokens;
    const together = [];
    for await (const { capture } of lens.captureMany({ prompt: prompts, layers: [0, 5], max_tokens: 2 }))
      together.push(capture!);
    expect(model.stats().promptTokens - before).toBe(
      together.reduce((sum, { tokens }) => sum + tokens.filter(({ role }) => role === "prompt").length, 0),
    );
    for (const [i, one] of prompts.entries()) {
      const alone = await lens.capture({ prompt: one, layers: [0, 5], max_tokens: 2 });
      expect(together[i]!.layer(5)).toEqual(alone.layer(5));
    }
  });

  test.each<[string, object]>([
    ["invalid_request", { prompt, layers: [6] }],
    ["invalid_request", { prompt, layers: [-2] }],
    ["invalid_request", { prompt: [900], layers: [1] }],
    ["invalid_request", { prompt: Array(1024).fill(1), layers: [1] }],
    ["invalid_request", { prompt, layers: [1], top_p: 2 }],
    ["model_not_found", { prompt, layers: [1], model: "other" }],
    ["invalid_option", { prompt, layers: [1], binary: true }],
    [
      "hooks_unavailable",
      { prompt, layers: [1], hooks: [{ fn: { cloudpickle: "gASVAA==" }, layer_indices: [1] }] },
    ],
  ])("%s, case %#", async (code, request) => {
    await expect(lens.capture(request as { prompt: string; layers: number[] })).rejects.toMatchObject({
      code,
    });
  });

  test("what the engine alone can see is refused in the server's words", async () => {
    const direction = new Float32Array(96).fill(1);
    const clamp = intervention({ kind: "clamp", value: 1e300, direction, layers: [5] });
    await expect(lens.capture({ prompt, layers: [5], interventions: [clamp] })).rejects.toMatchObject({
      name: "APIError",
      status: 400,
      code: "invalid_request",
      message: expect.stringContaining("not finite") as string,
    });
  });

  test("what it has not is not available, by name", async () => {
    for (const method of ["collect", "clear", "clearResults"] as const)
      await expect(lens.hooks[method]()).rejects.toMatchObject({
        code: "not_available",
        data: { ability: `hooks.${method}` },
      });
    await expect(lens.hooks.register([])).rejects.toThrow(
      /lens\.hooks\.register: hooks are Python functions/,
    );
  });

  test("a signal ends a request between two passes, and others go on", async () => {
    const controller = new AbortController();
    const ended = lens.generate(
      { prompt, max_tokens: 900, temperature: 100, seed: 1 },
      { signal: controller.signal },
    );
    const other = lens.generate({ prompt, max_tokens: 8, temperature: 0 });
    setTimeout(() => controller.abort(), 20);
    await expect(ended).rejects.toMatchObject({ code: "aborted" });
    expect((await other).choices).toHaveLength(1);
    await expect.poll(() => model.stats().active).toBe(0);
  });
});

describe("a folder", () => {
  test("is opened and freed, two at once, and nothing is left", async () => {
    const before = tensorCount();
    {
      await using one = await openLocal(tinyModel);
      await using two = await openLocal(ggufModel("llama"), { modelId: "odd" });
      expect([(await one.describe()).id, (await two.describe()).id]).toEqual(["model", "odd"]);
      const [first, second] = await Promise.all(
        [one, two].map((each) => each.capture({ prompt: [1, 2, 3, 4], layers: [0] })),
      );
      expect(first!.hiddenSize).not.toBe(second!.hiddenSize);
      expect(tensorCount()).toBeGreaterThan(before);
    }
    expect(tensorCount()).toBe(before);
  });

  test("is needed by each request", async () => {
    const one = await openLocal(tinyModel);
    const pending = one.generate({ prompt, max_tokens: 900, temperature: 100, seed: 1 });
    const ended = expect(pending).rejects.toMatchObject({ code: "model_disposed" });
    setTimeout(() => void one.dispose(), 10);
    await ended;
    await one.dispose();
    const gone = { code: "model_disposed" };
    await expect(one.capture({ prompt, layers: [1] })).rejects.toMatchObject(gone);
    await expect(one.local.logitLens({ prompt })).rejects.toMatchObject(gone);
    await expect(one.local.topTokens(new Float32Array(96).fill(1))).rejects.toMatchObject(gone);
    await expect(one.local.unembedding(1)).rejects.toMatchObject(gone);
    for await (const outcome of one.captureMany({ prompt: [prompt], layers: [1] }))
      expect(outcome).toMatchObject({ error: gone });
  });

  test("that is none is refused", async () => {
    await expect(openLocal("/nowhere")).rejects.toMatchObject({ code: "folder_unreadable" });
  });

  test("of a model that is given stays the caller's", async () => {
    const given = await openLocal(model);
    expect((await given.describe()).id).toBe("local");
    await given.dispose();
    expect((await lens.generate({ prompt, max_tokens: 1 })).choices).toHaveLength(1);
  });
});

test("no request leaves a tensor behind", async () => {
  const run = () => lens.capture({ prompt, layers: [-1, 3], max_tokens: 2 });
  await run();
  const before = tensorCount();
  for (let i = 0; i < 5; i++) await run();
  expect(tensorCount()).toBe(before);
});

test("the version is the package's", async () => {
  const text = await readFile(new URL("../../package.json", import.meta.url), "utf8");
  expect((JSON.parse(text) as { version: string }).version).toBe(engineVersion);
});
