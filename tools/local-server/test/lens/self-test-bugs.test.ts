import type { Model } from "@residua/engine";
import type { SelfTestCode } from "@residua/lens";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadChatModel } from "../quirks/quirk-support.ts";
import { testServer, type SelfTestScene } from "./self-test-support.ts";

let model: Model;
beforeAll(async () => {
  model = await loadChatModel();
});
afterAll(() => model.dispose());

async function onlyResult(code: SelfTestCode, scene: SelfTestScene) {
  const { results, behaviours, changes } = await testServer(model, { checks: [code], ...scene });
  return { ...results[0]!, behaviours, changes };
}

test("C6: norm_match of one half of the stream is found, with the ratio that came", async () => {
  const { status, measured, behaviours } = await onlyResult("S6", { quirks: ["norm-match-of-delta"] });
  expect(status).toBe("fail");
  expect(measured["ratio"]).toBeLessThan(0.4);
  expect(behaviours).toEqual({ normMatch: "other" });
});

test("C7: a list of layers that is not read is found, and later captures take what they asked for", async () => {
  const { status, detail, behaviours, changes } = await onlyResult("S1", {
    quirks: ["string-list-all-layers"],
  });
  expect(status).toBe("fail");
  expect(detail).toContain("2 layers and 1 layer were named, 6 and 6 came");
  expect(behaviours).toEqual({ layers: "all" });
  expect(changes).toEqual([expect.stringContaining("captures take every layer that comes")]);
});

test("C11: positions that count from each pass are found, with the tokens of a pass", async () => {
  const { status, measured, behaviours } = await onlyResult("S7", { quirks: ["chunk-relative-positions"] });
  expect(status).toBe("fail");
  expect(measured).toMatchObject({ position10: [10, 74, 138], position3: [3], generated: [] });
  expect((measured["position0"] as number[]).length).toBeGreaterThan(1);
  expect(behaviours).toEqual({ positions: "per pass", prefillChunk: 64 });
});

test("C15: what a steered request left in the prefix cache is found in a later plain one", async () => {
  const { status, measured, behaviours } = await onlyResult("S12", {
    quirks: ["prefix-cache-contamination"],
  });
  expect(status).toBe("fail");
  expect(measured["control"]).toBe(0);
  expect(measured["distance"]).toBeGreaterThan(0.05);
  expect(behaviours).toEqual({ prefixCache: "contaminated" });
});

test("C16: rows that are a part of the stream are found: they do not keep a vector", async () => {
  const { status, measured } = await onlyResult("S15", { quirks: ["half-residual"] });
  expect(status).toBe("fail");
  expect(Math.max(...(measured["kept"] as number[]))).toBeLessThan(0.15);
});

test("C5: a capture of the layer after the one that was named is found", async () => {
  const { status, measured } = await onlyResult("S15", { quirks: ["off-by-one-layer"] });
  expect(status).toBe("fail");
  expect(measured["alone"]).toEqual([1]);
});

test("C22: a BOS that is put before a text twice is found", async () => {
  const { status, detail } = await onlyResult("S17", { quirks: ["doubled-bos"] });
  expect(status).toBe("fail");
  expect(detail).toContain("begins with token 0 twice");
});

test("C3: rows of another request are found among requests at one time", async () => {
  const { status, measured } = await onlyResult("S18", { quirks: ["other-request-rows"] });
  expect(status).toBe("fail");
  expect(measured["ownLeast"]).toBeLessThan(0.5);
});

test("S4: steering that is dropped is found, and says nothing of positions", async () => {
  const { status, measured } = await onlyResult("S4", { quirks: ["steering-dropped"] });
  expect(status).toBe("fail");
  expect(measured["factor"]).toBe(0);
  expect((await onlyResult("S7", { quirks: ["steering-dropped"] })).behaviours).toEqual({});
});

test("S1: a vector that is added twice is found, with the factor", async () => {
  const bend = ({ apply_steering_vectors: vectors, ...body }: Record<string, unknown>) =>
    Array.isArray(vectors)
      ? { ...body, apply_steering_vectors: [...(vectors as object[]), ...(vectors as object[])] }
      : body;
  const { status, measured } = await onlyResult("S4", { bend });
  expect(status).toBe("fail");
  expect(measured["factor"]).toBeCloseTo(2, 1);
});

test("S3: steering that stops with the prompt is found at generated tokens", async () => {
  const { status, measured } = await onlyResult("S4", { quirks: ["prefill-only-steering"] });
  expect(status).toBe("fail");
  expect(measured["factor"]).toBeCloseTo(1, 1);
  expect(measured["generatedFactor"]).toBeLessThan(0.3);
});
