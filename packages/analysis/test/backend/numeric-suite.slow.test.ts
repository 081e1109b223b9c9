import * as tf from "@tensorflow/tfjs";
import { beforeAll, describe, expect, test } from "vitest";
import { quickCheck } from "../../src/backend/numeric-suite/quick-check.ts";
import { runNumericSuite } from "../../src/backend/numeric-suite/run-numeric-suite.ts";
import { useBackend } from "../../src/backend/use-backend.ts";

const small = 64 << 20;

describe.each(["wasm", "cpu"] as const)("the numeric suite on %s", (prefer) => {
  beforeAll(() => useBackend({ prefer }));

  test("passes, but for what tfjs is known to do wrongly, and leaves no tensor", async () => {
    const { numTensors } = tf.memory();
    const results = await runNumericSuite({ bytes: small });
    expect(results.filter(({ status }) => status === "fail")).toEqual([]);
    const known = results.filter(({ status }) => status === "known").map(({ name }) => name);
    expect(known).toEqual(prefer === "wasm" ? ["float32 to bool"] : []);
    expect(results.filter(({ status }) => status === "pass").length).toBeGreaterThan(55);
    for (const skipped of results.filter(({ status }) => status === "skipped"))
      expect(skipped.reason).toMatch(/needs a tensor of 138412032 bytes/);
    expect(JSON.parse(JSON.stringify(results))).toEqual(results);
    expect(tf.memory().numTensors).toBe(numTensors);
  });

  test("and the quick check too, time and again", async () => {
    const { numTensors } = tf.memory();
    for (let i = 0; i < 5; i++) expect(await quickCheck()).toBeUndefined();
    expect(tf.memory().numTensors).toBe(numTensors);
  });
});
