import { describe, expect, it } from "vitest";
import { strongestSide, summary, verdicts } from "../../src/report/report-words.ts";
import { sampleReport, sampleSteering } from "./report-sample.ts";

describe("strongestSide", () => {
  it("takes the strongest scale that still gives valid answers", () => {
    // Scale 3 turns a little more, but only 91% of its answers are valid.
    expect(strongestSide(sampleSteering(), "toFirst")?.steered.scale).toBe(2);
    expect(strongestSide(sampleSteering(), "toSecond")?.steered.scale).toBe(-2);
  });

  it("takes the gentlest of equals, and any scale when none is valid enough", () => {
    const steering = sampleSteering();
    const full = { value: 1, low: 0.9, high: 1 };
    const equal = steering.scales.map((entry) => (entry.scale > 0 ? { ...entry, toFirst: full } : entry));
    expect(strongestSide({ ...steering, scales: equal }, "toFirst")?.steered.scale).toBe(0.5);
    const broken = steering.scales.map((entry) => ({ ...entry, valid: { value: 0.1, low: 0, high: 0.2 } }));
    expect(strongestSide({ ...steering, scales: broken }, "toFirst")?.steered.scale).toBe(3);
  });
});

describe("verdicts", () => {
  it("gives number, interval and control for each question", () => {
    const found = verdicts(sampleReport());
    expect(found.map(({ finding }) => finding)).toEqual(["shown", "shown", "shown", "shown"]);
    expect(found.map(({ number }) => number)).toEqual(["0.999", "98.4%", "97.6%", "×1.20"]);
    expect(found[0]?.control).toContain("shuffled labels 0.503 (0.415 to 0.591)");
    expect(found[1]?.control).toBe("20 random directions of the same length: 1.8% (1.2% to 2.4%)");
  });

  it("does not call shown what a control reaches too", () => {
    const input = sampleReport();
    const at = input.sweep.layers[3];
    if (at === undefined) throw new Error("the sample has a layer 3");
    at.controls.randomDirection.high = 0.9999;
    expect(verdicts(input)[0]?.finding).toBe("in part");
    at.controls.shuffledLabels.high = 0.9999;
    expect(verdicts(input)[0]?.finding).toBe("not shown");
    for (const twins of input.steering.twins) twins.toFirst.high = 1;
    expect(verdicts(input)[1]?.finding).toBe("not shown");
    expect(verdicts(input)[2]?.finding).toBe("shown");
  });

  it("calls nothing shown that few groups say, and nothing measured without an interval", () => {
    const input = sampleReport();
    const few = { value: 1, low: 0.4, high: 1, n: 4, groups: 4 };
    for (const entry of input.steering.scales) entry.toFirst = few;
    for (const twins of input.steering.twins) twins.toFirst = { value: 0, low: 0, high: 0 };
    const verdict = verdicts(input)[1];
    expect(verdict).toMatchObject({
      finding: "not shown",
      number: "100.0%",
      interval: "95% interval 40.0% to 100.0%; n = 4; fewer than 6 groups show nothing",
    });
    for (const entry of input.steering.scales) entry.toFirst = { ...few, n: 12, groups: 6 };
    expect(verdicts(input)[1]).toMatchObject({
      finding: "shown",
      interval: "95% interval 40.0% to 100.0%; n = 12 in 6 groups",
    });
    for (const entry of input.steering.scales)
      entry.toFirst = { value: 1, low: null, high: null, n: 2, groups: 1, reason: "there is 1 group" };
    expect(verdicts(input)[1]?.finding).toBe("not measured");
  });

  it("compares valid answers with twins of the same scale", () => {
    const input = sampleReport();
    for (const entry of input.steering.scales)
      if (entry.scale === -2) entry.valid = { value: 0.96, low: 0.9, high: 0.99 };
    for (const twins of input.steering.twins)
      twins.valid = { value: 0.5 + twins.scale / 100, low: 0, high: 1 };
    const { interval, control } = verdicts(input)[3]!;
    expect(interval).toBe("valid answers 96.0% (90.0% to 99.0%), scale −2");
    expect(control).toMatch(/^with random directions 48.0% .* are valid, scale −2$/);
  });

  it("asks for valid answers and small perplexity before it calls the model intact", () => {
    const input = sampleReport();
    for (const { perplexity } of input.steering.scales) if (perplexity) perplexity.ratio = 1.6;
    expect(verdicts(input)[3]?.finding).toBe("not shown");
    for (const entry of input.steering.scales) entry.perplexity = null;
    expect(verdicts(input)[3]?.finding).toBe("not measured");
  });
});

describe("summary", () => {
  it("names what was done, by how much, and against which control", () => {
    const words = summary(sampleReport());
    expect(words).toContain("“truth” can be read from the output of layer 3: AUROC 0.999 (0.996 to 1.000)");
    expect(words).toContain("against 0.503 (0.415 to 0.591) with shuffled labels");
    expect(words).toContain("adding the direction at scale +2 turns 98.4%");
    expect(words).toContain("subtracting the direction at scale −2 turns 97.6%");
    expect(words).toContain("against 1.8% (1.2% to 2.4%) for random directions of the same length");
  });

  it("says so when nothing was shown", () => {
    const input = sampleReport();
    input.sweep.chosen.outerScore = { value: 0.52, low: 0.41, high: 0.63 };
    expect(summary(input)).toContain("was not shown to be readable");
  });
});
