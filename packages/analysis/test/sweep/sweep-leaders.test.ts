import { expect, test } from "vitest";
import { differenceOfMeans } from "../../src/probes/difference-of-means.ts";
import { sweepLanes } from "../../src/sweep/sweep-lanes.ts";
import { sweepLeaders } from "../../src/sweep/sweep-leaders.ts";

const probe = differenceOfMeans();
const candidate = (layer: number, inner: number[]) => ({
  layer,
  probe,
  choices: inner.map((score) => ({ inner: score })),
  best: { inner: inner.reduce((sum, score) => sum + score, 0) / inner.length },
  heldOut: { scores: new Float64Array(), calibrations: [] },
});

test("the leaders are the same in whatever order the layers come: of equal ones the layer listed first", () => {
  const layers = [4, 1, 7];
  const found = {
    4: candidate(4, [0.5, 0.9]),
    1: candidate(1, [0.7, 0.7]),
    7: candidate(7, [0.7, 0.7]),
  };
  const orders = [
    [4, 1, 7],
    [7, 1, 4],
    [1, 4, 7],
    [7, 4, 1],
  ] as const;
  for (const order of orders) {
    const leaders = sweepLeaders(layers, 2);
    for (const layer of order) leaders.add([found[layer]]);
    expect(leaders.choices.map(({ layer }) => layer)).toEqual([1, 4]);
    expect(leaders.best?.layer).toBe(4);
  }
});

test("lanes visit each layer once, no more at a time than there are lanes", async () => {
  const visited: number[] = [];
  let [now, most] = [0, 0];
  await sweepLanes([5, 3, 9, 1, 7], { lanes: 2, signal: undefined }, async (layer) => {
    most = Math.max(most, ++now);
    await new Promise((resolve) => setTimeout(resolve, layer));
    visited.push(layer);
    now--;
  });
  expect(visited.sort()).toEqual([1, 3, 5, 7, 9]);
  expect(most).toBe(2);
});

test("the first failure stops the other lanes, and nothing is under way when it is thrown", async () => {
  let ended = 0;
  const visiting = sweepLanes([1, 2, 3, 4], { lanes: 2, signal: undefined }, async (layer, signal) => {
    if (layer === 1) throw new Error("layer 1");
    await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    ended++;
  });
  await expect(visiting).rejects.toThrow("layer 1");
  expect(ended).toBe(1);
});
