import { beforeAll, describe, expect, test } from "vitest";
import { useBackend } from "../../src/backend/use-backend.ts";
import { differenceOfMeans } from "../../src/probes/difference-of-means.ts";
import { logistic } from "../../src/probes/logistic/logistic.ts";
import { layerSweepSchema } from "../../src/results/layer-sweep.ts";
import { sweepLayers } from "../../src/sweep/sweep-layers.ts";
import { plantedRows } from "../sweep/planted-rows.ts";

beforeAll(() => useBackend({ prefer: "wasm" }));

const fast = { draws: 200, randomDirections: 10, probes: [differenceOfMeans()], workers: 0 };

describe("P13: a label that can be read from the prompt alone", () => {
  test("its length explains the score, and the verdict says so", async () => {
    // Layer 1 holds the length, which is all that tells the label; nothing else is planted.
    const dataset = plantedRows({
      groups: 60,
      layers: 2,
      row: ({ row, random }) => ({ y: row % 2, prompt_length: 20 + 6 * (row % 2) + random.below(6) }),
      signal: ({ layer, feature, columns }) =>
        layer === 1 && feature === 3 ? ((columns["prompt_length"] as number) - 25) / 2 : 0,
    });
    const sweep = await sweepLayers(dataset, { label: "y", ...fast });
    const { promptLength } = sweep.controls;
    expect(sweep.chosen.outerScore.value!).toBeGreaterThan(0.9);
    expect(promptLength.score.value!).toBeGreaterThan(0.95);
    expect(promptLength.gain.low!).toBeLessThanOrEqual(0);
    expect(sweep.verdict.finding).toBe("explained");
    expect(sweep.verdict.text).toMatch(/A control explains the score: .*the prompt's length alone/);
    expect(layerSweepSchema.parse(JSON.parse(JSON.stringify(sweep)))).toEqual(sweep);
  });

  test("a word that goes with it explains the score too, by a bag of tokens", async () => {
    const dataset = plantedRows({
      groups: 60,
      row: ({ row, random }) => {
        const noise = Array.from({ length: 6 }, () => 10 + random.below(20));
        return { y: row % 2, token_ids: [1, ...noise, row % 2 ? 99 : 98], prompt_length: 8, position: 7 };
      },
      signal: ({ feature, columns }) => (feature === 0 ? 2 * (columns["y"] as number) : 0),
    });
    const sweep = await sweepLayers(dataset, { label: "y", ...fast });
    expect(sweep.controls.bagOfTokens.score.value).toBe(1);
    expect(sweep.controls.promptLength.score.reason).toBe("every row has read 8 tokens");
    expect(sweep.verdict.text).toMatch(/a bag of its tokens, 1.000/);
  });

  test("where ids are not known, the words of the prompt stand in for them", async () => {
    const dataset = plantedRows({
      groups: 40,
      row: ({ row }) => ({ y: row % 2, token_ids: null, text: `The sky is ${row % 2 ? "blue" : "green"}.` }),
    });
    const { bagOfTokens } = (await sweepLayers(dataset, { label: "y", ...fast })).controls;
    expect(bagOfTokens.score.value).toBe(1);
    expect(bagOfTokens.how).toBe("counts of the words of the prompt (6 words)");
  });

  test("tokens after the row's own are not counted: it has not read them", async () => {
    const dataset = plantedRows({
      groups: 40,
      row: ({ row }) => ({
        y: row % 2,
        token_ids: [1, 2, 3, row % 2 ? 99 : 98],
        prompt_length: 4,
        position: 2,
      }),
    });
    const { controls } = await sweepLayers(dataset, { label: "y", ...fast });
    expect(controls.bagOfTokens.score.reason).toBe("every row has the same tokens read");
  });

  test("a label that no control can read is shown, with what was not tried and what is not shown", async () => {
    const dataset = plantedRows({
      groups: 60,
      layers: 3,
      row: ({ row, random }) => ({
        y: row % 2,
        prompt_length: 10 + random.below(9),
        token_ids: Array.from({ length: 19 }, () => random.below(12)),
      }),
      signal: ({ layer, feature, columns }) =>
        layer === 2 && feature === 1 ? 2.5 * (columns["y"] as number) : 0,
    });
    const sweep = await sweepLayers(dataset, { label: "y", ...fast });
    expect(sweep.chosen.layer).toBe(2);
    expect(sweep.verdict.finding).toBe("shown");
    expect(sweep.verdict.text).toMatch(
      /above the prompt's length by .*a bag of tokens by .*layer 0 by .*random features by/,
    );
    expect(sweep.verdict.text).toMatch(/Not shown: that the model uses it.*Not tried: control task/);
    expect(sweep.chosen.permutation.correctedP).toBeCloseTo(1 / 21, 12);
    for (const { gain } of Object.values(sweep.controls)) expect(gain.low!).toBeGreaterThan(0);
  });

  test("noise is not shown", async () => {
    const dataset = plantedRows({ groups: 40, layers: 4, row: ({ row }) => ({ y: row % 2 }) });
    const { verdict, chosen } = await sweepLayers(dataset, { label: "y", ...fast });
    expect(verdict.finding).toBe("not shown");
    expect(chosen.permutation.correctedP!).toBeGreaterThan(0.05);
  });

  test("a layer that holds no more than the lowest one is explained by it", async () => {
    const one = plantedRows({
      groups: 60,
      row: ({ row }) => ({ y: row % 2 }),
      signal: ({ feature, columns }) => (feature === 1 ? 3 * (columns["y"] as number) : 0),
    });
    const low = await one.layer(0);
    // Layer 1 is layer 0 with the label shown a little more in one fold's worth of rows.
    const high = low.map((value, at) => (at % 8 === 1 && at % 5 === 0 ? value * 1.05 : value));
    const two = {
      ...one,
      layers: [1, 0],
      layer: (layer: number) => Promise.resolve(layer === 0 ? low : high),
    };
    const { chosen, controls, verdict } = await sweepLayers(two, { label: "y", ...fast });
    expect(chosen.layer).toBe(1);
    expect(controls.floor.layer).toBe(0);
    expect(controls.floor.gain.low!).toBeLessThanOrEqual(0);
    expect(verdict.text).toMatch(/not told apart from layer 0/);
  });
});

describe("the control task of Hewitt and Liang", () => {
  /** Six prompts of eight tokens, of 12 kinds that lie apart; `own` adds the label where nothing else tells it. */
  const tokens = (planted: (columns: Record<string, unknown>) => number) =>
    plantedRows({
      groups: 30,
      perGroup: 8,
      hiddenSize: 16,
      row: ({ random }) => {
        const kind = random.below(12);
        return { y: random.below(2), kind_label: kind % 2, token_id: kind };
      },
      signal: ({ feature, columns }) =>
        (feature === columns["token_id"] ? 6 : 0) + (feature === 14 ? planted(columns) : 0),
    });
  const linear = { ...fast, probes: [logistic({ C: 1 })] };

  test("a label that hangs on the token alone is learned by heart: no selectivity", async () => {
    const sweep = await sweepLayers(
      tokens(() => 0),
      { label: "kind_label", ...linear },
    );
    const { controlTask, selectivity } = sweep.layers[0]!.controls;
    expect(sweep.chosen.outerScore.value!).toBeGreaterThan(0.97);
    expect(controlTask.value!).toBeGreaterThan(0.97);
    expect(selectivity.low!).toBeLessThanOrEqual(0);
    expect(sweep.verdict.text).toMatch(/labels learned by heart, token by token/);
  });

  test("a random label has a negative one: the probe learns tokens and not the label", async () => {
    const { layers } = await sweepLayers(
      tokens(() => 0),
      { label: "y", ...linear },
    );
    const { controlTask, selectivity } = layers[0]!.controls;
    expect(controlTask.value! + selectivity.value!).toBeCloseTo(layers[0]!.probes[0]!.score.value!, 10);
    expect(selectivity.high!).toBeLessThan(0);
  });

  test("rows of one kind of token have none, and say why", async () => {
    const dataset = plantedRows({ groups: 20, row: ({ row }) => ({ y: row % 2, token_id: 5 }) });
    const { controls } = (await sweepLayers(dataset, { label: "y", ...fast })).layers[0]!;
    expect(controls.controlTask).toEqual({
      value: null,
      low: null,
      high: null,
      reason: "all rows are at one kind of token (column token_id)",
    });
  });
});

describe("the token filter", () => {
  const dataset = plantedRows({
    groups: 80,
    row: ({ row, random }) => {
      const tell = random.below(2) === 0;
      return {
        y: row % 2,
        tell,
        token: tell ? (row % 2 ? " yes" : " no") : " the",
        token_id: tell ? 7 + (row % 2) : 3,
      };
    },
    signal: ({ feature, columns }) =>
      feature === 2 && columns["tell"] ? 8 * ((columns["y"] as number) - 0.5) : 0,
  });

  test("without the rows whose token states the answer the score is chance", async () => {
    const byText = await sweepLayers(dataset, { label: "y", ...fast, tokenFilter: [" yes", " no"] });
    const { tokenFilter, verdict } = byText;
    expect(tokenFilter!.with.value!).toBeGreaterThan(0.75);
    expect(tokenFilter!.leftOut + tokenFilter!.n).toBe(160);
    expect(tokenFilter!.without.low!).toBeLessThan(0.5);
    expect(verdict).toMatchObject({ finding: "explained" });
    expect(verdict.text).toMatch(/chance once the rows whose tokens state the answer are left out/);
    const byId = await sweepLayers(dataset, { label: "y", ...fast, tokenFilter: [7, 8] });
    expect(byId.tokenFilter!.without).toEqual(tokenFilter!.without);
    const tell = Array.from(await dataset.column("tell"));
    const own = await sweepLayers(dataset, { label: "y", ...fast, tokenFilter: (row) => tell[row] === true });
    expect(own.tokenFilter!.without).toEqual(tokenFilter!.without);
  });

  test("a filter that leaves out none or all says so; a column that is missing is an error", async () => {
    const none = await sweepLayers(dataset, { label: "y", ...fast, tokenFilter: [" perhaps"] });
    expect(none.tokenFilter!.without.reason).toBe("the token filter leaves out no row");
    const all = await sweepLayers(dataset, { label: "y", ...fast, tokenFilter: () => true });
    expect(all.tokenFilter!.without.reason).toBe("the token filter leaves no row");
    const bare = plantedRows({ groups: 20, row: ({ row }) => ({ y: row % 2 }) });
    await expect(sweepLayers(bare, { label: "y", ...fast, tokenFilter: [5] })).rejects.toThrow(
      "tokenFilter holds 5, and the dataset has no column token_id or token_ids.",
    );
  });
});
