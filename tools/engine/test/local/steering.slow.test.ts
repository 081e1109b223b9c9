import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { intervention, steeringVector } from "@residua/lens";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type LocalLens, openLocal } from "../../src/local/open-local.ts";
import { tinyModel } from "../support.ts";

// Loaded late, as the engine itself loads it.
const load = () => import("@residua/analysis");
type Analysis = Awaited<ReturnType<typeof load>>;

let lens: LocalLens;
let scratch: string;
let analysis: Analysis;
let dataset: Awaited<ReturnType<Analysis["collect"]>>;
beforeAll(async () => {
  lens = await openLocal(tinyModel, { modelId: "tiny" });
  scratch = await mkdtemp(join(tmpdir(), "residua-steering-"));
  analysis = await load();
  dataset = await analysis.collect(
    lens,
    statements(24, 0).map(({ prompt, truth, group }, i) => ({
      id: `${i}`,
      prompt,
      labels: { truth },
      group,
    })),
    { layers: [0, 2, 4], select: "last", to: join(scratch, "cities") },
  );
});
afterAll(async () => {
  await lens.dispose();
  await rm(scratch, { recursive: true });
});

/** Cities with the continent that the tiny model was taught, and another. */
const cities = [
  ["Paris", "Europe"],
  ["Rome", "Europe"],
  ["Tokyo", "Asia"],
  ["Cairo", "Africa"],
  ["Berlin", "Europe"],
  ["Lima", "South America"],
  ["Delhi", "Asia"],
  ["Lagos", "Africa"],
  ["Madrid", "Europe"],
  ["Beijing", "Asia"],
  ["Nairobi", "Africa"],
  ["Vienna", "Europe"],
] as const;

/** `count` statements, half of them true, about the cities from number `from` on. */
function statements(count: number, from: number) {
  return Array.from({ length: count }, (_, i) => {
    const [city, own] = cities[(from + (i >> 1)) % cities.length]!;
    const truth = i % 2 === 0;
    const continent = truth ? own : own === "Asia" ? "Europe" : "Asia";
    return { prompt: `The city of ${city} is in ${continent}. Verdict:`, truth, group: city };
  });
}
const asked = (count: number, from: number) =>
  statements(count, from).map(({ prompt, truth, group }) => ({
    prompt,
    group,
    from: truth ? (0 as const) : (1 as const),
  }));
const neutral = [
  "The baker fed the horses.",
  "A boat came in the morning.",
  "The old house stood by the lake.",
];

describe("on the tiny model", () => {
  test("S1, S7: what evaluateSteering adds is scale · v at the layer, exactly once, and grows with the scale", async () => {
    const { vector } = await analysis.meanDifference(dataset, { label: "truth", layer: 2 });
    const { prompt } = statements(1, 0)[0]!;
    const at = async (scale: number) =>
      (
        await lens.capture({
          prompt,
          layers: [2],
          steering: [steeringVector({ rows: { 2: vector }, scale })],
        })
      ).row({ layer: 2, position: -1 });
    const before = await at(0);
    let last = 0;
    for (const scale of [0.5, 1, 2, 4]) {
      const after = await at(scale);
      const added =
        vector.reduce((sum, value, j) => sum + (after[j]! - before[j]!) * value, 0) /
        Math.hypot(...vector) ** 2;
      expect(Math.abs(added - scale)).toBeLessThan(0.05 * scale);
      expect(added).toBeGreaterThan(last);
      last = added;
    }
  });

  test("S6: ablation of a direction of any norm leaves h · v = 0", async () => {
    const { vector } = await analysis.meanDifference(dataset, { label: "truth", layer: 2 });
    for (const length of [0.01, 1, 300]) {
      const direction = vector.map((value) => value * length);
      const { layers } = await lens.capture({ prompt: "A b", layers: "all" });
      const ablate = intervention({ kind: "ablate", direction, layers: [...layers] });
      const capture = await lens.capture({
        prompt: statements(1, 3)[0]!.prompt,
        layers: [2, 5],
        interventions: [ablate],
      });
      for (const layer of [2, 5])
        for (const row of capture.rows(layer)) {
          const along = row.reduce((sum, value, j) => sum + value * direction[j]!, 0);
          expect(Math.abs(along)).toBeLessThan(0.01 * Math.hypot(...row) * Math.hypot(...direction));
        }
    }
  });

  test("the truth direction moves answers, beats its twins, and its price is over the whole vocabulary", async () => {
    const direction = await analysis.meanDifference(dataset, { label: "truth", layer: 4 });
    const result = await analysis.evaluateSteering(lens, {
      direction,
      prompts: asked(16, 4),
      choices: [" true", " false"],
      scales: [-0.5, 0, 0.5, 1],
      neutral,
      generation: { maxTokens: 12 },
      twins: 19,
      twinScales: [1],
      draws: 100,
    });
    const at = (scale: number) => result.scales.find((each) => each.scale === scale)!;
    expect(at(1).toFirst.value!).toBeGreaterThan(0.8);
    expect(at(0).neutral).toMatchObject({ kl: { value: 0 }, over: "the whole vocabulary" });
    expect(at(1).neutral!.kl.value!).toBeGreaterThan(at(0.5).neutral!.kl.value!);
    expect(at(1).loops!.distinct1.n).toBe(16);
    const [flipped] = result.twins[0]!.comparisons;
    expect(flipped).toMatchObject({ metric: "flipped", asLarge: 0, p: 1 / 20 });
    expect(result.baselineNoise).toMatchObject({ maxShift: 0, maxKl: 0, changedAnswers: 0 });
    expect(analysis.steeringEvaluationSchema.parse(JSON.parse(JSON.stringify(result)))).toEqual(result);
  });

  test("a search finds a layer and scale on one half of the cities that holds on the other", async () => {
    const result = await analysis.searchSteering(lens, {
      dataset,
      label: "truth",
      layers: [2, 4],
      prompts: asked(24, 0),
      choices: [" true", " false"],
      scales: [1, 8],
      neutral,
      damage: { perplexityRatio: 10, looping: null },
      twins: 19,
      draws: 100,
    });
    expect(result.winner!.layer).toBe(4);
    expect(result.winner!.gain.value!).toBeGreaterThan(0.3);
    expect(result.verdict).toMatch(/layer 4 at scale .* beats its random twins/);
    expect(result.cells.some(({ layer, scale }) => layer === 4 && scale === 8)).toBe(
      !result.stopped.some(({ layer, untried }) => layer === 4 && untried.includes(8)),
    );
  });

  test("the recipe of refusal work: of verdicts, ablation at all layers", async () => {
    const of = (wanted: boolean) =>
      statements(24, 0)
        .filter(({ truth }) => truth === wanted)
        .map(({ prompt, group }) => ({ prompt, group }));
    const truths = of(true);
    const falsehoods = of(false);
    const candidates = await analysis.positionDirections(lens, {
      harmful: truths.slice(0, 8),
      harmless: falsehoods.slice(0, 8),
      layers: [2, 3, 4],
      positions: [-1, -2],
    });
    expect(candidates.length).toBe(6);
    const result = await analysis.selectRefusalDirection(lens, {
      candidates,
      harmful: truths.slice(8),
      harmless: neutral.map((prompt) => ({ prompt })),
      tokens: [" true"],
      maxKl: 20,
      minInduce: -30,
      draws: 50,
    });
    expect(result.chosen).not.toBeNull();
    const chosen = result.candidates.find(
      ({ layer, position }) => layer === result.chosen!.layer && position === result.chosen!.position,
    )!;
    expect(chosen.bypass.value!).toBeLessThan(result.baseline.harmful.value! - 3);
    expect(result.candidates.map(({ layer, rejected }) => [layer, rejected.length > 0])).toContainEqual([
      4,
      false,
    ]);
  });
});
