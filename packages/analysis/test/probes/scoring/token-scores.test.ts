import { beforeAll, describe, expect, test } from "vitest";
import { differenceOfMeans } from "../../../src/probes/difference-of-means.ts";
import { multinomial } from "../../../src/probes/multinomial/multinomial.ts";
import { ridge } from "../../../src/probes/linear/ridge.ts";
import type { ScoredCapture } from "../../../src/probes/scoring/capture-rows.ts";
import { tokenScores } from "../../../src/probes/scoring/token-scores.ts";
import { trainProbe } from "../../../src/probes/trained/train-probe.ts";
import type { TrainedProbe } from "../../../src/probes/trained/trained-probe.ts";
import { tokenScoresSchema } from "../../../src/results/token-scores.ts";
import { toTable } from "../../../src/results/to-table.ts";

/** A probe of layer 5 that scores the first feature less 2. */
let probe: TrainedProbe;
const rows = { values: Float32Array.of(1.5, 0, 2.5, 0), width: 2, labels: [false, true] };
beforeAll(async () => {
  probe = await trainProbe(rows, { probe: differenceOfMeans(), layer: 5, label: "truth", model: "small" });
});

const firstFeatures = [0, 3, 9, 4, 1];
const values = Float32Array.from(firstFeatures.flatMap((value) => [value, 7]));
const capture: ScoredCapture = {
  ...{ model: "small", layers: [2, 5], hiddenSize: 2, positions: 5 },
  tokens: [0, 1, 2, 3, 4, 5].map((i) => ({
    id: 10 + i,
    text: `t${i}`,
    role: i < 3 ? "prompt" : "generated",
  })),
  layer: (layer) => (layer === 5 ? values : values.map((value) => -value)),
};
const direction = { layer: 2, vector: [0.5, 0], threshold: -1 };

describe("scores of a capture's tokens", () => {
  test("row p is token p's, the last generated token has none, layers ascend", () => {
    const scored = tokenScores(capture, [probe, direction]);
    expect(scored.layers).toEqual([
      { layer: 2, threshold: -1, scores: [0, -1.5, -4.5, -2, -0.5, null] },
      { layer: 5, threshold: 0, scores: [-2, 1, 7, 2, -1, null] },
    ]);
    expect(scored.tokens[5]).toEqual({ position: 5, id: 15, text: "t5", role: "generated" });
    expect(scored).toMatchObject({ model: "small", above: null, below: null });
    expect(tokenScoresSchema.parse(JSON.parse(JSON.stringify(scored)))).toEqual(scored);
  });

  test("say what they measure, in the probes' words or one's own", () => {
    const words = { score: "difference-of-means of truth", above: "truth: true", below: "truth: not true" };
    expect(tokenScores(capture, [probe])).toMatchObject(words);
    expect(tokenScores(capture, [probe], { score: "truth", above: "true", below: "false" })).toMatchObject({
      ...{ score: "truth", above: "true", below: "false" },
    });
  });

  test("of a mask and of roles leave the other tokens without a score", () => {
    const own = (options: Parameters<typeof tokenScores>[2]) =>
      tokenScores(capture, [probe], options).layers[0]!.scores;
    expect(own({ roles: ["generated"] })).toEqual([null, null, null, 2, -1, null]);
    expect(own({ mask: (position) => position === 1 })).toEqual([null, 1, null, null, null, null]);
  });

  test("meet the threshold of single rows, or the one given, never that of pooled scores", async () => {
    const stored = { value: 1.5, targetRate: 0.1, achievedRate: 0.1, n: 10, falsePositives: 1, pool: null };
    const thresholdOf = (scorer: Parameters<typeof tokenScores>[1][number]) =>
      tokenScores(capture, [scorer]).layers[0]!.threshold;
    expect(thresholdOf(probe.withThreshold(stored))).toBe(1.5);
    expect(thresholdOf(probe.withThreshold({ ...stored, pool: "max" }))).toBe(0);
    expect(thresholdOf({ probe: probe.withThreshold(stored), threshold: 3 })).toBe(3);
    const number = await trainProbe({ ...rows, labels: [1, 7] }, { probe: ridge({ lambda: [1] }), layer: 5 });
    expect(() => thresholdOf(number)).toThrow(/scorers\[0\]: the probe ridge predicts a number/);
    expect(thresholdOf({ probe: number, threshold: 4 })).toBe(4);
  });

  test("a projection without a threshold, two scorers of a layer and another model, layer or width are refused", async () => {
    expect(() => tokenScores(capture, [{ layer: 2, vector: [1, 0] } as never])).toThrow(
      /scorers\[0\]\.threshold.*a projection has none by itself/s,
    );
    expect(() => tokenScores(capture, [probe, probe])).toThrow(/Two scorers are of layer 5/);
    expect(() => tokenScores(capture, [{ ...direction, layer: 3 }])).toThrow(
      /layer 3, and the capture holds 2, 5/,
    );
    expect(() => tokenScores(capture, [{ ...direction, vector: [1] }])).toThrow(/has 1 numbers/);
    const other = { ...direction, source: { label: "truth", model: "large" } };
    expect(() => tokenScores(capture, [other])).toThrow(/is of large, and the capture of small/);
    expect(() => tokenScores({ ...capture, model: "large" }, [probe])).toThrow(/was trained on small/);
    expect(() => tokenScores({ ...capture, tokens: capture.tokens.slice(0, 4) }, [probe])).toThrow(
      /4 tokens for 5 positions/,
    );
    expect(() => tokenScores(capture, [])).toThrow(/scorers/);
    expect(() => tokenScores(capture, [probe], { role: ["prompt"] } as never)).toThrow(/the field role/);
    const many = {
      values: Float32Array.of(0, 0, 1, 0, 2, 1, 3, 5, 0, 9, 1, 8),
      width: 2,
      labels: [0, 1, 2, 0, 1, 2],
    };
    const classes = await trainProbe(many, { probe: multinomial({ C: [1] }), layer: 5 });
    expect(() => tokenScores(capture, [classes])).toThrow(/scores each of 3 classes/);
  });

  test("as an Arrow table every score tells its layer and position", () => {
    const table = toTable(tokenScores(capture, [probe], { roles: ["generated"] }));
    const found = table.toArray().map((row) => (row as { toJSON(): object }).toJSON());
    expect(found).toContainEqual(
      expect.objectContaining({ layer: 5, position: 3, metric: "layers.scores", value: 2 }),
    );
    expect(found).toContainEqual(
      expect.objectContaining({ layer: 5, position: 0, metric: "layers.scores", value: null }),
    );
  });
});
