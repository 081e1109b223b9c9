import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { scoreHistogramSchema } from "../../src/results/score-histogram.ts";
import { scoreHistogram } from "../../src/statistics/score-histogram.ts";
import { fixture } from "../results/views-fixture.ts";

const { scores, labels, found, given, means } = fixture.histogram;
const groups = [...scores.keys()];

describe("a histogram of scores", () => {
  test.each(found)("has numpy's edges and counts: $bins bins", ({ bins, edges, counts }) => {
    const histogram = scoreHistogram({ scores, labels, groups }, { bins, threshold: 0.5, score: "truth" });
    expect(histogram).toMatchObject({ score: "truth", threshold: 0.5, n: 150, groups: 150 });
    histogram.edges.forEach((edge, i) => expect(edge).toBeCloseTo(edges[i]!, 12));
    expect(histogram.classes.map(({ label }) => label)).toEqual(["angry", "calm", "sad"]);
    for (const one of histogram.classes) {
      expect(one.counts).toEqual(counts[String(one.label)]);
      expect(one.mean).toBeCloseTo(means[String(one.label)]!, 12);
    }
    expect(scoreHistogramSchema.parse(JSON.parse(JSON.stringify(histogram)))).toEqual(histogram);
  });

  test("equal scores are their mean", () => {
    const scores = new Array<number>(7).fill(2.9);
    const [one] = scoreHistogram({ scores, labels: scores.map(() => 1), groups: [...scores.keys()] }).classes;
    expect(one!.mean).toBe(2.9);
  });

  test("takes edges, whose last bin holds its upper one; a score outside them is refused, not dropped", () => {
    const { edges, inside } = given;
    const kept = scores.flatMap((score, row) => (score >= edges[0]! && score <= edges.at(-1)! ? [row] : []));
    const some = { scores: kept.map((row) => scores[row]!), labels: kept.map(() => true), groups: kept };
    const { classes } = scoreHistogram(some, { edges });
    expect(classes).toMatchObject([{ label: true, counts: given.counts, n: inside }]);
    const ends = { scores: [-4, -1, 5.5], labels: [true, true, true], groups: [0, 0, 1] };
    expect(scoreHistogram(ends, { edges })).toMatchObject({ groups: 2, classes: [{ counts: [1, 1, 0, 1] }] });
    expect(() => scoreHistogram({ scores, labels, groups }, { edges })).toThrow(
      /outside the edges -4 to 5.5/,
    );
  });

  test("counts every row once, whatever the scores", () => {
    const number = fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.integer({ min: -2, max: 2 }),
    );
    fc.assert(
      fc.property(
        fc.array(number, { minLength: 1, maxLength: 20 }),
        fc.integer({ min: 1, max: 30 }),
        (own, bins) => {
          const places = [...own.keys()];
          const histogram = scoreHistogram(
            { scores: own, labels: places.map((row) => row % 2), groups: places },
            { bins },
          );
          const counted = histogram.classes
            .flatMap(({ counts }) => counts)
            .reduce((sum, count) => sum + count, 0);
          expect(counted).toBe(own.length);
          expect(scoreHistogramSchema.parse(JSON.parse(JSON.stringify(histogram)))).toEqual(histogram);
          histogram.edges.slice(1).forEach((edge, i) => expect(edge).toBeGreaterThan(histogram.edges[i]!));
        },
      ),
    );
  });

  test("scores of several folds, labels that name no class and other wrong input are refused", () => {
    const strata = scores.map((_, row) => row % 2);
    expect(() => scoreHistogram({ scores, labels, groups, strata })).toThrow(
      /2 strata \(folds\), which have no common scale/,
    );
    expect(scoreHistogram({ scores, labels, groups, strata: scores.map(() => 4) }).n).toBe(150);
    const odd = labels.map((label, row) => (row === 3 ? (null as never) : label));
    expect(() => scoreHistogram({ scores, labels: odd, groups })).toThrow(/Label labels holds null/);
    const absent = labels.map((label, row) => (row === 3 ? (undefined as never) : label));
    expect(() => scoreHistogram({ scores, labels: absent, groups })).toThrow(/Label labels holds undefined/);
    expect(() => scoreHistogram({ scores: [1, NaN], labels: [0, 1], groups: [0, 1] })).toThrow(
      /row 1 is NaN/,
    );
    expect(() => scoreHistogram({ scores: [], labels: [], groups: [] })).toThrow(/no score/);
    expect(() => scoreHistogram({ scores, labels, groups }, { edges: [1, 1] })).toThrow(/rising/);
    expect(() => scoreHistogram({ scores, labels, groups }, { edges: [-99, 99], bins: 2 })).toThrow(
      /not both/,
    );
  });
});
