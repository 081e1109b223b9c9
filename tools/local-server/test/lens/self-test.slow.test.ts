import type { Model } from "@residua/engine";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createClient, ResiduaError } from "@residua/client";
import {
  createLens,
  type Lens,
  openUnembedding,
  type SelfTestCode,
  selfTestChecks,
  type SteeringError,
  steeringVector,
} from "@residua/lens";
import { start, tinyModel } from "../support.ts";
import { loadChatModel } from "../quirks/quirk-support.ts";
import { codesOf, testServer } from "./self-test-support.ts";

let model: Model;
beforeAll(async () => {
  model = await loadChatModel();
});
afterAll(() => model.dispose());

describe("a right server", () => {
  test("passes every check as a hosted API", async () => {
    const report = await testServer(model, { intrusive: true });
    expect(codesOf(report, "fail")).toEqual([]);
    expect(codesOf(report, "inconclusive")).toEqual([]);
    expect(codesOf(report, "not applicable")).toEqual(["S13", "S19"]);
    expect(report.behaviours).toEqual({
      layers: "honoured",
      normMatch: "stream",
      positions: "absolute",
      choices: "refused",
      prompts: "refused",
      streams: "refused",
      prefixCache: "isolated",
    });
    expect(report.changes).toEqual([]);
  });

  test("passes every check as a vLLM with vllm-lens", async () => {
    const report = await testServer(model, { profile: "vllm", intrusive: true });
    expect(codesOf(report, "fail")).toEqual([]);
    expect(codesOf(report, "inconclusive")).toEqual([]);
    expect(codesOf(report, "not applicable")).toEqual(["S19"]);
    expect(report.behaviours).toMatchObject({ binary: true, cacheSalt: "isolates" });
    expect(report.fingerprint).toMatchObject({ version: "0.30.0", plugin: "vllm-lens >= 1.3", layers: 6 });
  });
});

describe("what was found changes later requests", () => {
  const prompt = "The city of Rome is in Europe. Verdict:";
  const rows = Float32Array.from({ length: 96 }, (_, i) => Math.sin(i));

  async function afterTest<T>(
    quirk: string,
    code: SelfTestCode,
    act: (lens: Lens) => Promise<T>,
  ): Promise<T> {
    const running = await start({ model, quirks: [quirk], drainTimeout: 50 });
    const client = createClient({ baseURL: running.server.url, apiKey: "" });
    try {
      const lens = createLens(client);
      expect(lens.fingerprint("tiny")).toBeUndefined();
      const { fingerprint } = await lens.selfTest({ model: "tiny", checks: [code] });
      expect(lens.fingerprint("tiny")).toEqual(fingerprint);
      return await act(lens);
    } finally {
      await client.close();
      await running.server.close();
    }
  }

  test("captures of a server that sends every layer keep those that were asked for, and name the test", async () => {
    const capture = await afterTest("string-list-all-layers", "S1", (lens) =>
      lens.capture({ model: "tiny", prompt, layers: [1, 4] }),
    );
    expect(capture.layers).toEqual([1, 4]);
    expect(capture.server.selfTest).toMatch(/^[0-9a-f]{64}$/);
  });

  test("positions that a server would misplace are refused", async () => {
    const steer = (lens: Lens, at: number, maxTokens: number, tokens: number) =>
      lens
        .capture({
          model: "tiny",
          prompt: Array.from({ length: tokens }, (_, i) => 280 + i),
          layers: [3],
          max_tokens: maxTokens,
          steering: [steeringVector({ rows: { 3: rows }, positions: [at] })],
        })
        .then(
          () => "sent",
          (error: SteeringError) => error.code,
        );
    await afterTest("chunk-relative-positions", "S7", async (lens) => {
      expect(await steer(lens, 0, 2, 20)).toBe("steering_positions");
      expect(await steer(lens, 0, 1, 20)).toBe("sent");
      expect(await steer(lens, 10, 1, 60)).toBe("sent");
      expect(await steer(lens, 10, 1, 80)).toBe("steering_positions");
      expect(await steer(lens, 70, 1, 80)).toBe("steering_positions");
    });
  });

  test("norm_match that was found to be another goes into the capture", async () => {
    const { server } = await afterTest("norm-match-of-delta", "S6", (lens) =>
      lens.capture({ model: "tiny", prompt, layers: [1] }),
    );
    expect(server.normMatch).toBe("other");
  });
});

test("checks that there are not, and a model that there is not, are refused", async () => {
  await expect(testServer(model, { checks: ["S20" as SelfTestCode] })).rejects.toMatchObject({
    code: "invalid_option",
  });
  await expect(testServer(model, { checks: [] })).rejects.toMatchObject({ code: "invalid_option" });
  await expect(testServer(model, { model: "absent" })).rejects.toBeInstanceOf(ResiduaError);
});

test("S11 says that streamed chats were not tested where the model has no chat template", async () => {
  const mute = { ...model, chatTemplate: null };
  const quirks = ["chat-stream-cuts-capture"];
  const [result] = (await testServer(mute, { profile: "vllm", quirks, checks: ["S11"] })).results;
  expect(result).toMatchObject({ status: "pass", untried: true });
  expect(result?.detail).toContain(
    "streamed chats were not tested: a chat that is not streamed is refused with 400",
  );
  const [found] = (await testServer(model, { profile: "vllm", quirks, checks: ["S11"] })).results;
  expect(found).toMatchObject({ status: "fail" });
  expect(found).not.toHaveProperty("untried");
});

test("a signal ends it, and no check sends more requests than it says", async () => {
  const seen: string[] = [];
  const controller = new AbortController();
  const stopped = testServer(model, {
    signal: controller.signal,
    onProgress: ({ code }) => {
      seen.push(code);
      if (code === "S3") controller.abort();
    },
  });
  await expect(stopped).rejects.toMatchObject({ code: "aborted" });
  expect(seen).toEqual(["S1", "S2", "S3"]);
  for (const { code, requests } of selfTestChecks) {
    const { results } = await testServer(model, { checks: [code], profile: "vllm" });
    // Those of the captures that checks share come on top.
    expect(results[0]!.requests, code).toBeLessThanOrEqual(requests + 2);
  }
});

/** What is no quirk of the server, by a body that is changed on its way. */
describe("S8, S13, S14, S16 and S19 fail where they should", () => {
  const fails = async (
    code: "S8" | "S13" | "S14" | "S16",
    bend: (body: Record<string, unknown>) => unknown,
  ) => {
    const report = await testServer(model, { profile: "vllm", checks: [code], bend });
    expect(codesOf(report, "fail")).toEqual([code]);
    return report.results[0]!;
  };

  type Vector = {
    activations: { shape: number[]; dtype: string; compression?: string };
    position_indices?: number[];
  };
  const onVectors =
    (change: (vector: Vector) => unknown) =>
    ({ vllm_xargs: xargs = {}, ...body }: Record<string, unknown>) => {
      const { apply_steering_vectors: text, ...keys } = xargs as Record<string, unknown>;
      if (typeof text !== "string" || !text.startsWith("[")) return { ...body, vllm_xargs: xargs };
      const vectors = (JSON.parse(text) as Vector[]).map(change);
      return { ...body, vllm_xargs: { ...keys, apply_steering_vectors: JSON.stringify(vectors) } };
    };

  test("S8: positions beside a vector of two dimensions are ignored", async () => {
    const { detail } = await fails(
      "S8",
      onVectors(({ position_indices: _, ...vector }) => vector),
    );
    expect(detail).toMatch(/asked at 1 of (\d+) positions: added at \1 of them/);
  });

  test("S13: the bypass is not read", async () => {
    const { measured } = await fails("S13", ({ vllm_xargs: xargs, ...body }) => {
      const { skip_reading_prefix_cache: _, ...keys } = (xargs ?? {}) as Record<string, unknown>;
      return { ...body, vllm_xargs: keys };
    });
    expect(measured["bypassHits"]).toBe(measured["repeatHits"]);
  });

  test("S14: bits of bfloat16 are read as float16", async () => {
    const asFloat16 = (vector: Vector) =>
      vector.activations.dtype === "int16"
        ? {
            ...vector,
            activations: { ...vector.activations, dtype: "float16", original_dtype: "torch.float16" },
          }
        : vector;
    expect((await fails("S14", onVectors(asFloat16))).detail).toContain("bfloat16 bits");
  });

  test("S16: any model is answered for", async () => {
    expect((await fails("S16", (body) => ({ ...body, model: "tiny" }))).detail).toContain(
      "a model that is not there: 200",
    );
  });

  test("S19: the last layer with the final norm gives the model's logits, and with another norm it does not", async () => {
    const unembedding = await openUnembedding(tinyModel);
    const right = await testServer(model, { checks: ["S19"], unembedding });
    expect(right.results[0]).toMatchObject({ status: "pass" });
    const finalNorm = Float32Array.from(unembedding.finalNorm, (weight) => 2 * weight);
    const other = await testServer(model, { checks: ["S19"], unembedding: { ...unembedding, finalNorm } });
    expect(other.results[0]).toMatchObject({ status: "fail" });
    await unembedding.close();
  });
});
