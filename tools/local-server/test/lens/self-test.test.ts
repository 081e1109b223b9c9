import type { Model } from "@residua/engine";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openUnembedding } from "@residua/lens";
import { tinyModel } from "../support.ts";
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
