import { expect, it } from "vitest";
import { nearestName } from "../../src/requests/nearest-name.ts";
import { acsFields as completionFields } from "../../src/requests/fields/acs-fields.ts";

const names = Object.keys(completionFields);

it.each([
  ["maxTokens", "max_tokens"],
  ["max_token", "max_tokens"],
  ["temprature", "temperature"],
  ["topP", "top_p"],
  ["prompts", "prompt"],
  ["output_residual_streams", "output_residual_stream"],
])("%s is a slip of %s", (slip, name) => {
  expect(nearestName(slip, names)).toBe(name);
});

it("finds nothing near a word of its own", () => {
  expect(nearestName("guidance_scale", names)).toBeUndefined();
  expect(nearestName("x".repeat(100_000), names)).toBeUndefined();
});
