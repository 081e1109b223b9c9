import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkRate, makeCaptureRates, secondsAt } from "../../src/plan/capture-rates.ts";

const exactly = (value: number) => ({ least: value, most: value });

describe("secondsAt", () => {
  it("scales what is stated", () => {
    const work = { requests: exactly(4), positions: { least: 100, most: 300 }, numbers: exactly(0) };
    expect(secondsAt({ seconds: 2, requests: 1 }, work)).toEqual({ least: 8, most: 8 });
    expect(secondsAt({ seconds: 2, positions: 50 }, work)).toEqual({ least: 4, most: 12 });
    expect(secondsAt({ seconds: 2, positions: 50, requests: 1 }, work)).toEqual({ least: 4, most: 12 });
  });

  it("holds the true time, whatever a request, a position and a number cost (property)", () => {
    const cost = fc.double({ min: 0, max: 10, noNaN: true });
    const counts = fc.record({
      requests: fc.integer({ min: 1, max: 50 }),
      positions: fc.integer({ min: 1, max: 1e4 }),
      numbers: fc.integer({ min: 1, max: 1e7 }),
    });
    fc.assert(
      fc.property(cost, cost, cost, counts, counts, (a, b, c, seen, asked) => {
        const time = (work: typeof seen) => a * work.requests + b * work.positions + c * work.numbers;
        const { least, most } = secondsAt(
          { seconds: time(seen), ...seen },
          {
            requests: exactly(asked.requests),
            positions: exactly(asked.positions),
            numbers: exactly(asked.numbers),
          },
        );
        expect(time(asked)).toBeGreaterThanOrEqual(least * (1 - 1e-9));
        expect(time(asked)).toBeLessThanOrEqual(most * (1 + 1e-9));
      }),
    );
  });
});

it("a rate is summed by model, and refused where it says nothing", () => {
  const rates = makeCaptureRates();
  expect(rates.of("m")).toBeUndefined();
  rates.note({ model: "m", layers: [1, 2], positions: 5, hiddenSize: 8 }, 0.5);
  rates.note({ model: "m", layers: [1], positions: 3, hiddenSize: 8 }, 0.25);
  rates.note({ model: "other", layers: [1], positions: 3, hiddenSize: 8 }, 9);
  expect(rates.of("m")).toEqual({ seconds: 0.75, requests: 2, positions: 8, numbers: 104 });
  for (const rate of [
    { seconds: 1 },
    { seconds: 0, requests: 1 },
    { seconds: 1, positions: NaN },
    { seconds: -1, numbers: 2 },
  ])
    expect(() => checkRate(rate)).toThrow("allowed: seconds, and requests, positions or numbers");
});
