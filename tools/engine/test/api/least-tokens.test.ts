import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { leastTokens } from "../../src/api/least-tokens.ts";
import { type ServedModel, serveModel } from "../../src/api/served-model.ts";
import { loadModel, type Model } from "../../src/model.ts";
import { tinyModel } from "../support.ts";

let model: Model;
let served: ServedModel;
beforeAll(async () => {
  model = await loadModel(tinyModel);
  // A short context, so that most texts are longer than their beginning.
  served = {
    ...serveModel(model, "tiny", "tiny")[0]!,
    model: { ...model, config: { ...model.config, contextLength: 16 } },
  };
});
afterAll(() => model.dispose());

test("is never more than a text has", () => {
  const words = fc.constantFrom("the ", "city", " Verdict:", "日本", "🐈", "aaaa", "    ", "\n", "é");
  fc.assert(
    fc.property(fc.array(fc.oneof(words, fc.string({ unit: "grapheme" })), { maxLength: 400 }), (parts) => {
      const text = parts.join("");
      const tokens = model.tokenizer.encode(text, { addSpecialTokens: false }).length;
      expect(leastTokens(text, served)).toBeLessThanOrEqual(tokens);
    }),
  );
});

test("shows a text that is too long by its beginning", () => {
  expect(leastTokens("日".repeat(600_000), served)).toBeGreaterThan(200);
});
