import { describe, expect, test } from "vitest";
import { parseRopeScaling, scaleFrequency } from "../src/rope-scaling.ts";

const llama3 = { rope_type: "llama3", factor: 8, low_freq_factor: 1, high_freq_factor: 4 };

test("llama3 leaves short wavelengths, divides long ones, and ramps between", () => {
  const scaling = parseRopeScaling(
    { ...llama3, original_max_position_embeddings: 8192 } as object,
    131072,
    "it",
  )!;
  const at = (wavelength: number) => {
    const frequency = Math.fround((2 * Math.PI) / wavelength);
    return scaleFrequency(scaling, frequency, 0) / frequency;
  };
  expect(at(2000)).toBe(1);
  expect(at(9000)).toBe(1 / 8);
  // Halfway of the ramp, (8192 / wavelength − 1) / 3 = 1/2: the mean of 1 and 1/8.
  expect(at(8192 / 2.5)).toBeCloseTo(9 / 16, 6);
});

test("linear divides every frequency, divisors each by its own", () => {
  expect(scaleFrequency(parseRopeScaling({ type: "linear", factor: 4 } as object, 10, "it")!, 0.5, 3)).toBe(
    0.125,
  );
  const divisors = { type: "divisors", divisors: [1, 2, 8] } as const;
  expect([0, 1, 2].map((i) => scaleFrequency(divisors, 0.5, i))).toEqual([0.5, 0.25, 0.0625]);
});

test("the original context is that of the model where the config is silent", () => {
  expect(parseRopeScaling(llama3, 512, "it")).toMatchObject({ originalContext: 512 });
  expect(parseRopeScaling({}, 512, "it")).toBeNull();
});

describe("refused", () => {
  test.each([
    ["factor", { type: "linear" }],
    ["factor", { type: "linear", factor: 0 }],
    ["low_freq_factor", { ...llama3, low_freq_factor: "1" }],
    ["high_freq_factor over low_freq_factor", { ...llama3, high_freq_factor: 1 }],
  ])("a scaling without a usable %s", (wanted, rope) => {
    const parse = () => parseRopeScaling(rope, 512, "config.json");
    expect(parse).toThrow(expect.objectContaining({ code: "config_invalid" }) as Error);
    expect(parse).toThrow(`in config.json lacks a usable ${wanted}`);
  });
});
