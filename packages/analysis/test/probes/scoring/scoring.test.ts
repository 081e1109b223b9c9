import { beforeAll, describe, expect, test } from "vitest";
import { differenceOfMeans } from "../../../src/probes/difference-of-means.ts";
import { thresholdAtFalsePositiveRate } from "../../../src/probes/scoring/false-positive-threshold.ts";
import { scoreCapture, type ScoredCapture } from "../../../src/probes/scoring/score-capture.ts";
import { scoreCaptures } from "../../../src/probes/scoring/score-captures.ts";
import { scoreDataset } from "../../../src/probes/scoring/score-dataset.ts";
import { probeFromJSON } from "../../../src/probes/trained/probe-json.ts";
import { trainProbe } from "../../../src/probes/trained/train-probe.ts";
import type { TrainedProbe } from "../../../src/probes/trained/trained-probe.ts";
import { arrayDataset } from "../sweep-data.ts";

/** A probe that scores the first feature less 2. */
let probe: TrainedProbe;
beforeAll(async () => {
  const rows = { values: Float32Array.of(1.5, 0, 2.5, 0), width: 2, labels: [false, true] };
  probe = await trainProbe(rows, { probe: differenceOfMeans(), layer: 5, label: "truth", model: "small" });
});

const firstFeatures = [0, 3, 9, 4, 1];
const values = Float32Array.from(firstFeatures.flatMap((value) => [value, 7]));
const tokens = firstFeatures.map(
  (_, i) => ({ id: i, text: null, role: i < 3 ? "prompt" : "generated" }) as const,
);
const capture: ScoredCapture = {
  ...{ model: "small", layers: [2, 5], hiddenSize: 2, positions: 5 },
  tokens: [...tokens, { id: 9, text: null, role: "generated" }],
  layer: (layer) => (layer === 5 ? values : new Float32Array(10)),
};

describe("of a capture", () => {
  test("each position of the probe's layer", () => {
    const { positions, scores, pooled } = scoreCapture(probe, capture);
    expect(positions).toEqual([0, 1, 2, 3, 4]);
    expect([...scores]).toEqual([-2, 1, 7, 2, -1]);
    expect(pooled).toBeNull();
  });

  test("the positions of a mask, of roles, and of a conversation's roles", () => {
    const mask = [true, false, true, true, false, true];
    expect(scoreCapture(probe, capture, { mask }).positions).toEqual([0, 2, 3]);
    expect(scoreCapture(probe, capture, { mask: (position) => position > 2 }).positions).toEqual([3, 4]);
    expect(scoreCapture(probe, capture, { roles: ["generated"], mask }).positions).toEqual([3]);
    const tokenRoles = [null, "user", "user", null, "assistant"];
    const pooled = scoreCapture(probe, capture, { roles: ["user"], tokenRoles, pool: "mean" });
    expect(pooled).toMatchObject({ positions: [1, 2], pooled: 4 });
  });

  test("is flagged by the stored threshold, of the scores that it is of", () => {
    const threshold = {
      value: 1.5,
      targetRate: 0.1,
      achievedRate: 0.1,
      n: 10,
      falsePositives: 1,
      pool: null,
    };
    const single = probe.withThreshold(threshold);
    expect(scoreCapture(single, capture)).toMatchObject({
      flags: [false, false, true, true, false],
      flagged: null,
    });
    expect(scoreCapture(single, capture, { pool: "max" })).toMatchObject({
      flagged: null,
      reason: "the threshold is of scores pooled as single rows, and these are max",
    });
    const whole = probe.withThreshold({ ...threshold, pool: "max" });
    expect(scoreCapture(whole, capture, { pool: "max" })).toMatchObject({
      flagged: true,
      reason: null,
      flags: null,
    });
    expect(
      scoreCapture(whole, capture, { pool: "max", mask: [true, true, false, false, false] }).flagged,
    ).toBe(false);
    expect(scoreCapture(probe, capture, { pool: "max" }).reason).toBe("the probe has no stored threshold");
  });

  test("of another width, layer or model is refused, and so is one without a position", () => {
    expect(() => scoreCapture(probe, { ...capture, hiddenSize: 3 })).toThrow(/rows of 2 numbers/);
    expect(() => scoreCapture(probe, { ...capture, layers: [2] })).toThrow(
      /reads layer 5, and the capture holds 2/,
    );
    expect(() => scoreCapture(probe, { ...capture, model: "large" })).toThrow(
      /trained on small, and the capture is of large/,
    );
    expect(() => scoreCapture(probe, capture, { roles: ["system"] })).toThrow(/No position is left/);
    expect(() => scoreCapture(probe, capture, { mask: [true] })).toThrow(/give one for each/);
    expect(() => scoreCapture(probe, capture, { mask: (() => Promise.resolve(false)) as never })).toThrow(
      /mask.*a function that returned object/s,
    );
    const short = { ...capture, layer: () => values.slice(0, 8) };
    for (const mask of [[true, true, false, false, false], (position: number) => position === 4]) {
      expect(() => scoreCapture(probe, short, { mask })).toThrow(
        /Layer 5 of the capture has 8 numbers, and 5 positions/,
      );
    }
    for (const layer of [() => null, () => [...values], () => Float64Array.from(values)]) {
      expect(() => scoreCapture(probe, { ...capture, layer } as never)).toThrow(
        /layer\(5\).*a Float32Array/s,
      );
    }
    expect(() => scoreCapture(probe, null as never)).toThrow(/capture/);
    expect(() => scoreCapture(probe.toJSON() as never, capture)).toThrow(/a trained probe: of trainProbe/);
    expect(() => scoreCapture(probe, capture, { pol: "max" } as never)).toThrow(/pol/);
  });
});

test("captures are scored as they come, and none is read ahead", async () => {
  let asked = 0;
  // eslint-disable-next-line @typescript-eslint/require-await
  async function* rollouts() {
    for (; asked < 3; asked++) yield capture;
  }
  const scored = scoreCaptures(probe, rollouts(), (_, index) => ({ pool: index === 0 ? "max" : "mean" }));
  expect((await scored.next()).value).toMatchObject({ index: 0, pooled: 7 });
  expect(asked).toBe(0);
  expect((await scored.next()).value).toMatchObject({ index: 1, pooled: 1.4 });
  await scored.return(undefined);
  await expect(scoreCaptures(probe, 5 as never).next()).rejects.toThrow(/captures/);
  await expect(scoreCaptures(probe, [null] as never).next()).rejects.toMatchObject({
    code: "invalid_request",
  });
  await expect(scoreCaptures(null as never, [capture]).next()).rejects.toThrow(/probe/);
});

describe("of a dataset", () => {
  const dataset = arrayDataset({
    hiddenSize: 2,
    layers: [0, 1, 2, 3, 4, 5].map((layer) => (layer === 5 ? values : new Float32Array(10))),
    columns: { example: ["a", "b", "a", "b", "c"], part: [1, 1, 1, 2, 2] },
  });

  test("each row, or each example", async () => {
    expect([...(await scoreDataset(probe, dataset)).scores]).toEqual([-2, 1, 7, 2, -1]);
    const some = await scoreDataset(probe, dataset, { where: { part: 1 } });
    expect(some).toMatchObject({ rows: [0, 1, 2], groups: null });
    const examples = await scoreDataset(probe, dataset, { groupBy: "example", pool: "max" });
    expect(examples).toMatchObject({ rows: [0, 1, 4], groups: ["a", "b", "c"] });
    expect([...examples.scores]).toEqual([7, 2, -1]);
  });

  test("the threshold of a control set flags it, before and after the probe was saved", async () => {
    const control = await scoreDataset(probe, dataset, { groupBy: "example", pool: "max" });
    const threshold = thresholdAtFalsePositiveRate(control.scores, { rate: 0.5, pool: "max" });
    const saved = probeFromJSON(JSON.parse(JSON.stringify(probe.withThreshold(threshold))));
    expect(saved.threshold).toEqual({
      value: 2,
      targetRate: 0.5,
      achievedRate: 1 / 3,
      n: 3,
      falsePositives: 1,
      pool: "max",
    });
    const { flags } = await scoreDataset(saved, dataset, { groupBy: "example", pool: "max" });
    expect(flags).toEqual([true, false, false]);
    expect(await scoreDataset(saved, dataset)).toMatchObject({ flags: null });
  });

  test("rows of no group are no sequence, and rows that are not finite are named by their own numbers", async () => {
    for (const none of [null, Number.NaN]) {
      const columns: Record<string, unknown[]> = { example: ["a", "a", none, "b", none] };
      const odd = { ...dataset, column: (name: string) => Promise.resolve(columns[name]!) };
      const grouped = scoreDataset(probe, odd, { groupBy: "example", pool: "max" });
      await expect(grouped).rejects.toMatchObject({
        code: "bad_group",
        message: expect.stringContaining("Row 2 has no example") as string,
      });
      const some = {
        where: (row: number) => row !== 2 && row !== 4,
        groupBy: "example",
        pool: "max",
      } as const;
      expect(await scoreDataset(probe, odd, some)).toMatchObject({ groups: ["a", "b"] });
    }
    const spoilt = { ...dataset, layer: () => Promise.resolve(values.slice().fill(Number.NaN, 6, 7)) };
    await expect(scoreDataset(probe, spoilt, { where: (row) => row > 1 })).rejects.toThrow(
      /Row 3, feature 0/,
    );
    await expect(scoreDataset(probe, spoilt, { groupBy: "example", pool: "max" })).rejects.toThrow(/Row 3,/);
  });

  test("what is no dataset and no probe is told", async () => {
    await expect(scoreDataset(probe, null as never)).rejects.toThrow(/dataset/);
    await expect(scoreDataset(probe, { ...dataset, hiddenSize: undefined } as never)).rejects.toThrow(
      /hiddenSize/,
    );
    for (const none of [null, probe.toJSON(), Promise.resolve(probe)])
      await expect(scoreDataset(none as never, dataset)).rejects.toMatchObject({ code: "invalid_request" });
  });

  test("half of the options, other layers and other models are refused", async () => {
    await expect(scoreDataset(probe, dataset, { pool: "max" })).rejects.toThrow(/needs groupBy/);
    await expect(scoreDataset(probe, dataset, { groupBy: "example" })).rejects.toThrow(/needs pool/);
    await expect(scoreDataset(probe, dataset, { where: { part: 9 } })).rejects.toMatchObject({
      code: "no_rows",
    });
    const other = { ...dataset, lineage: { about: { model: "large" } } };
    await expect(scoreDataset(probe, other)).rejects.toMatchObject({ code: "wrong_model" });
    await expect(scoreDataset(probe, { ...dataset, layers: [0] })).rejects.toMatchObject({
      code: "wrong_layer",
    });
  });
});

test("a threshold whose counts contradict each other is not stored", () => {
  const right = { value: 0, targetRate: 0.5, achievedRate: 1 / 3, n: 3, falsePositives: 1, pool: null };
  expect(probe.withThreshold(right).threshold).toEqual(right);
  for (const wrong of [
    { achievedRate: 0.9 },
    { falsePositives: 0 },
    { n: 0 },
    { falsePositives: 4, achievedRate: 1 },
  ])
    expect(() => probe.withThreshold({ ...right, ...wrong })).toThrow(/not falsePositives \/ n/);
  expect(() => probe.withThreshold({ ...right, targetRate: 0.1 })).toThrow(/more than the targetRate 0.1/);
});

test("a threshold is of one score, not of one for each class", async () => {
  const rows = { values: Float32Array.of(1, 2, 3, 4, 5, 6), width: 2, labels: ["a", "b", "c"] };
  const classes = await trainProbe(rows, { probe: differenceOfMeans(), layer: 5 });
  const threshold = { value: 0, targetRate: 0.1, achievedRate: 0, n: 10, falsePositives: 0, pool: null };
  expect(() => classes.withThreshold(threshold)).toThrow(/a score for each class/);
  expect(() => scoreCapture(classes, { ...capture, model: "x" }, { pool: "max" })).toThrow(/leave pool out/);
  expect(scoreCapture(classes, capture).scores.length).toBe(15);
});
