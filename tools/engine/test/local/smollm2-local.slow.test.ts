import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type LocalLens, openLocal } from "../../src/local/open-local.ts";
import { compareDirections, compareLogitLens, referenceLens, tolerance } from "./reference-lens.ts";

/** The folder that `npm run smollm2` makes. */
const folder = process.env["RESIDUA_SMOLLM2"];

describe.skipIf(folder === undefined)("a lens on SmolLM2-135M in process", () => {
  let lens: LocalLens;
  beforeAll(async () => {
    lens = await openLocal(folder!);
  }, 120_000);
  afterAll(() => lens?.dispose());

  test("the logit lens says what transformers says, positions by parts", async () => {
    const reference = await referenceLens("smollm2");
    expect(Math.max(...reference.cases.map(({ ids }) => ids.length))).toBeGreaterThan(6);
    expect(await compareLogitLens(lens, reference, tolerance.smollm2)).toBeGreaterThan(0);
  }, 120_000);

  test("the ends of a direction are transformers'", async () => {
    await compareDirections(lens, await referenceLens("smollm2"));
  }, 120_000);
});
