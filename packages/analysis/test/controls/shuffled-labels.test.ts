import { beforeAll, expect, test } from "vitest";
import { useBackend } from "../../src/backend/use-backend.ts";
import { differenceOfMeans } from "../../src/probes/difference-of-means.ts";
import { sweepLayers } from "../../src/sweep/sweep-layers.ts";
import { plantedRows } from "../sweep/planted-rows.ts";

beforeAll(() => useBackend({ prefer: "wasm" }));

const few = { label: "y", draws: 50, randomDirections: 0, probes: [differenceOfMeans()], workers: 0 };
const dataset = (groups: number) =>
  plantedRows({
    groups,
    perGroup: 4,
    row: ({ group }) => ({ y: group % 2 }),
    signal: ({ feature, columns }) => (feature === 0 ? 30 * (columns["y"] as number) : 0),
  });

test.each([10, 12])("a perfect label of %i groups is told apart from its shuffles", async (groups) => {
  const { chosen } = await sweepLayers(dataset(groups), { ...few, shuffles: 99, seed: 3 });
  expect(chosen.outerScore.value).toBe(1);
  // Of 252 labellings of 10 groups two score 1. Shuffles in folds that were balanced for the real labels gave 0.20 to 0.26.
  expect(chosen.permutation.correctedP!).toBeLessThanOrEqual(0.05);
});

test("shuffles that are too few for a small p tell nothing either way, and are named as not tried", async () => {
  const { chosen, verdict } = await sweepLayers(dataset(40), { ...few, shuffles: 10 });
  expect(chosen.permutation.correctedP).toBeCloseTo(1 / 11, 12);
  expect(verdict.finding).toBe("shown");
  expect(verdict.text).toMatch(/Not tried: .*label shuffles \(10 allow no p below 0.091: 19 are the fewest/);
  const none = await sweepLayers(dataset(40), { ...few, shuffles: 0 });
  expect(none.verdict.text).toMatch(/Not tried: .*label shuffles \(/);
});

test("a token filter that could not be scored is named as not tried", async () => {
  const one = plantedRows({
    groups: 40,
    row: ({ row }) => ({ y: row % 2, token_id: row % 5 }),
    signal: ({ feature, columns }) => (feature === 0 ? 9 * (columns["y"] as number) : 0),
  });
  const { verdict } = await sweepLayers(one, { ...few, shuffles: 0, tokenFilter: [12_345] });
  expect(verdict.text).toMatch(/Not tried: .*token filter \(the token filter leaves out no row\)/);
});

test("a score below chance is said to lie below it", async () => {
  // Two rows a group share all but the label, which is told by nothing else.
  const shared = plantedRows({ groups: 30, hiddenSize: 2, row: ({ row }) => ({ y: row % 2 }) });
  const values = await shared.layer(0);
  const pairs = values.map((_, at) => values[(at >> 2) * 4 + (at & 1)]!);
  const jittered = pairs.map((value, at) => value + 0.01 * values[at]!);
  const { verdict, chosen } = await sweepLayers(
    { ...shared, layer: () => Promise.resolve(jittered) },
    { ...few, group: "example", shuffles: 0 },
  );
  expect(chosen.outerScore.high!).toBeLessThan(0.5);
  expect(verdict).toMatchObject({ finding: "not shown" });
  expect(verdict.text).toMatch(/lies below chance, 0.5: held-out rows are told apart the wrong way round/);
});
