import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { endLabels, spread } from "../../src/plots/plot-labels.ts";

describe("spread", () => {
  it("leaves what is far apart where it is", () => {
    expect(spread([10, 60, 30], 14, 0, 100)).toEqual([10, 60, 30]);
  });

  it("keeps order and gap, and stays inside when there is room", () => {
    const positions = fc.array(fc.double({ min: 0, max: 300, noNaN: true }), { maxLength: 10 });
    fc.assert(
      fc.property(positions, (values) => {
        const placed = spread(values, 14, 0, 300);
        const sorted = [...placed].sort((a, b) => a - b);
        sorted.slice(1).forEach((y, i) => expect(y - (sorted[i] ?? 0)).toBeGreaterThanOrEqual(14 - 1e-6));
        for (const y of placed) expect(y >= 0 && y <= 300 + 1e-6).toBe(true);
        values.forEach((a, i) =>
          values.forEach((b, j) => {
            if (a < b) expect(placed[i]).toBeLessThan(placed[j] ?? 0);
          }),
        );
      }),
    );
  });
});

describe("endLabels", () => {
  it("writes each name once, cut to its room", () => {
    const labels = [
      { text: "one", y: 20, fill: "#111111" },
      { text: "a very long name that cannot fit here", y: 21, fill: "#222222" },
    ];
    const drawn = endLabels(labels, { x: 100, width: 90, low: 0, high: 100 });
    expect(drawn).toContain(">one</text>");
    expect(drawn).toMatch(/>a very[^<]*…<\/text>/);
  });
});
