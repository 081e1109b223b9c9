import { describe, expect, test } from "vitest";
import { comparable, openPair } from "./local-lens-support.ts";
import { tinyModel } from "../support.ts";

const folder = process.env["RESIDUA_SMOLLM2"];

describe("a local lens and one at the local server", () => {
  const pair = openPair(tinyModel);

  test("find the same in a self-test", async () => {
    const [local, http] = [await pair.local.selfTest(), await pair.http.selfTest()];
    const told = ({ results }: typeof local) => results.map(({ code, status }) => `${code} ${status}`);
    expect(told(local)).toEqual(told(http));
    expect(local.results.some(({ status }) => status === "fail")).toBe(false);
    expect(pair.local.fingerprint("tiny")).toBeDefined();
  }, 60_000);
});

describe.skipIf(folder === undefined)("on SmolLM2-135M", () => {
  const pair = openPair(folder!);

  test("they capture the same bits", async () => {
    for (const asked of [
      { prompt: "The capital of France is", layers: [0, 15, 29], max_tokens: 4 },
      { prompt: "日本語 and 🐈 mix", layers: [-1, 29], max_tokens: 3, temperature: 1, seed: 5 },
    ]) {
      const [local, http] = await Promise.all([pair.local.capture(asked), pair.http.capture(asked)]);
      expect(comparable(local).bits).toEqual(comparable(http).bits);
      expect(comparable(local).completion).toEqual(comparable(http).completion);
      expect(local.tokens.every(({ id, text }, i) => id !== null && (text !== null || i === 0))).toBe(true);
    }
  }, 120_000);
});
