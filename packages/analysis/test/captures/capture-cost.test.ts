import { CaptureLimitError } from "@residua/lens";
import { expect, test } from "vitest";
import { captureCost } from "../../src/captures/capture-cost.ts";
import { captureCostSchema } from "../../src/results/capture-cost.ts";

const plans = [
  { name: "one layer", layers: 1, promptTokens: 682 },
  { layers: [8, 16, 24, 8], promptTokens: 682, maxTokens: 1 },
  { layers: 126, promptTokens: 2100, maxTokens: 64 },
  { layers: 4096, promptTokens: 2100 },
];

test("what plans take of the limit is lens's own sum, and what would fit is said in its words", () => {
  const cost = captureCost({ hiddenSize: 16384, plans });
  expect(cost).toMatchObject({ hiddenSize: 16384, limit: 33_554_432 });
  const [one, three, all, none] = cost.plans;
  expect(one).toEqual({
    name: "one layer",
    layers: 1,
    positions: 683,
    numbers: 683 * 16384,
    fits: true,
    wouldFit: null,
  });
  expect(three).toMatchObject({ name: "3 layers × 683 tokens", layers: 3, numbers: 33_570_816, fits: false });
  const size = { layers: 3, promptTokens: 682, maxTokens: 1, hiddenSize: 16384 };
  const refusal = new CaptureLimitError(size, { limit: cost.limit, widthText: "", atLeast: false });
  expect(refusal.numbers).toBe(three!.numbers);
  expect(three!.wouldFit).toBe(/would fit: (.*) \(\)$/.exec(refusal.message)![1]);
  expect(all!.wouldFit).toBe("16 tokens at 126 layers");
  expect(none!.wouldFit).toBe("nothing at this size: not one layer has room");
  expect(captureCostSchema.parse(JSON.parse(JSON.stringify(cost)))).toEqual(cost);
});

test("a plan of exactly the limit fits, and one number less of room does not hold it", () => {
  const plan = { layers: 2, promptTokens: 9 };
  const fitting = captureCost({ hiddenSize: 100, plans: [plan], limit: 2000 }).plans[0]!;
  expect(fitting).toMatchObject({ numbers: 2000, fits: true, wouldFit: null });
  const over = captureCost({ hiddenSize: 100, plans: [plan], limit: 1999 }).plans[0]!;
  expect(over).toMatchObject({
    fits: false,
    wouldFit: "1 of 2 layers at 10 tokens, or 2 requests (split: true), or 9 tokens at 2 layers",
  });
});

test("sizes that cannot be are refused by name", () => {
  expect(() => captureCost({ hiddenSize: 0, plans })).toThrow(/hiddenSize/);
  expect(() => captureCost({ hiddenSize: 96, plans: [] })).toThrow(/plans/);
  expect(() => captureCost({ hiddenSize: 96, plans: [{ layers: 1, promptTokens: 1.5 }] })).toThrow(
    /plans\[0\]\.promptTokens/,
  );
  expect(() =>
    captureCost({ hiddenSize: 96, plans: [{ layers: 1, promptTokens: 1, tokens: 3 } as never] }),
  ).toThrow(/the field tokens/);
  const vast = { layers: 1e6, promptTokens: 1e6 };
  expect(() => captureCost({ hiddenSize: 1e6, plans: [vast] })).toThrow(
    /about 1\.0e\+18 numbers, more than can be counted/,
  );
});
