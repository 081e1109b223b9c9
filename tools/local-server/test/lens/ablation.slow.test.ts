import { loadModel } from "@residua/engine";
import { expect, test } from "vitest";
import { ablatedDirection, largestShare, withAblated } from "./ablation-support.ts";

/** The folder that `npm run smollm2` makes. */
const folder = process.env["RESIDUA_SMOLLM2"];
const unavailable = process.env["RESIDUA_SMOLLM2_UNAVAILABLE"] ?? "RESIDUA_SMOLLM2 is not set";

test("SmolLM2, whose weights are bfloat16: less than 0.1 % of any row of any layer lies along the direction", async (context) => {
  if (!folder) return context.skip(unavailable);
  const tokens = [504, 3575, 282, 4649, 314];
  const vector = ablatedDirection(576);
  const before = await loadModel(folder);
  expect(await largestShare(before, tokens, vector)).toBeGreaterThan(0.01);
  await before.dispose();
  const after = await withAblated(folder, vector, (model) => largestShare(model, tokens, vector));
  expect(after).toBeLessThan(1e-3);
});
