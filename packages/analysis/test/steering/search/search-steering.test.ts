import { describe, expect, test } from "vitest";
import { createRandom } from "../../../src/statistics/random.ts";
import { steeringSearchSchema } from "../../../src/results/steering-search.ts";
import { functionScorer } from "../../../src/steering/scorers/function-scorer.ts";
import { bestCell } from "../../../src/steering/search/best-cell.ts";
import { searchSteering } from "../../../src/steering/search/search-steering.ts";
import { plantedLens, type PlantedRequest } from "../planted-lens.ts";

const width = 32;
const vocabulary = [" true", " false", " perhaps", " the", " a"];
const random = createRandom(5, "search test");
const noise = () => Float32Array.from({ length: width }, () => random.gaussian());
const along = (j: number, length: number) =>
  Float32Array.from({ length: width }, (_, i) => (i === j ? length : 0));
const at = (layer: number, vector: Float32Array) => ({ layer, vector, method: `planted at ${layer}` });

const prompts = Array.from({ length: 48 }, (_, i) => ({
  prompt: `truth ${(i % 2 ? 1 : -1) * (1 + (i % 7) + i / 1000)}`,
  group: `g${i >> 1}`,
  from: i % 2 ? (0 as const) : (1 as const),
}));
const layerOf = ({ steering }: PlantedRequest) => steering?.[0]?.layers[0] ?? -1;
const scaleOf = ({ steering }: PlantedRequest) => steering?.[0]?.scale ?? 0;

/** At layer 2 feature 0 speaks for true by `strength` a unit; neutral text grows `cost(layer, scale)` times as surprising. */
function lens(strength: number, cost: (layer: number, scale: number) => number = () => 1) {
  return plantedLens({
    vocabulary,
    own: 3,
    logits(prompt, dose, request) {
      const found = /^truth (-?[\d.]+)$/.exec(prompt);
      if (!found) {
        const p = 0.4 / cost(layerOf(request), scaleOf(request));
        return [p, ...[0.3, 0.3, 0.2, 0.2]].map((_, i) => Math.log(i === 3 ? p : (1 - p) / 4));
      }
      const moved = Number(found[1]) + (layerOf(request) === 2 ? strength * (dose[0] ?? 0) : 0);
      return [moved / 2, -moved / 2, -9, -9.5, -9.7];
    },
  });
}

const options = {
  directions: [at(1, along(0, 2)), at(2, along(0, 2)), at(3, along(5, 2))],
  prompts,
  choices: [" true", " false"] as const,
  scales: [-2, -1, 1, 2, 4],
  neutral: ["some words here", "and some others"],
  neutralTop: 0,
  twins: 19,
  draws: 200,
};

describe("a direction that works at one layer", async () => {
  const planted = lens(1);
  const result = await searchSteering(planted, options);

  test("is found, estimated on prompts that did not choose it, and beats its twins", () => {
    expect(result.winner).toMatchObject({ layer: 2 });
    expect(result.winner!.gain.value!).toBeGreaterThan(0.3);
    expect(result.winner!.gain.n).toBe(result.split.estimate.n);
    expect(result.winner!.chosenGain.n).toBe(result.split.choose.n);
    const { layer, scale } = result.winner!;
    const own = planted.calls.filter(
      (call) => layerOf(call) === layer && scaleOf(call) === scale && call.steering![0]!.rows[0]![0] === 2,
    );
    const asked = own.map(({ prompt }) => String(prompt)).filter((prompt) => prompt.startsWith("truth"));
    // Every prompt once: one half to choose, the other to estimate.
    expect(asked.sort()).toEqual(prompts.map(({ prompt }) => prompt).sort());
    expect(result.twins).toMatchObject({ asLarge: 0, p: 1 / 20 });
    expect(result.verdict).toMatch(/layer 2 at scale -?\d beats its random twins/);
  });

  test("is plain JSON of its schema, and repeats with its seed", async () => {
    expect(steeringSearchSchema.parse(JSON.parse(JSON.stringify(result)))).toEqual(result);
    expect(await searchSteering(lens(1), options)).toEqual(result);
  });
});

test("directions that do nothing more than others: nothing beats the twins, in words", async () => {
  // Every feature speaks for true a little, so that the best of many cells of any direction turns answers.
  const readout = noise();
  const planted = () =>
    plantedLens({
      vocabulary,
      logits(prompt, dose) {
        const moved =
          Number(prompt.split(" ")[1]) + dose.reduce((sum, value, j) => sum + value * readout[j]!, 0);
        return [moved / 2, -moved / 2, -9, -9.5, -9.7];
      },
    });
  const found = [];
  for (let seed = 0; seed < 8; seed++) {
    found.push(
      await searchSteering(planted(), {
        ...options,
        directions: [1, 2, 3, 4, 5, 6].map((layer) => at(layer, noise())),
        scales: [-0.4, -0.2, 0.2, 0.4],
        neutral: [],
        draws: 20,
        seed,
      }),
    );
  }
  const lucky = found.filter(({ twins }) => twins!.p! <= 0.05);
  expect(lucky.length).toBeLessThanOrEqual(1);
  const plain = found.filter(({ verdict }) => verdict.startsWith("nothing beats the random twins"));
  expect(plain.length).toBeGreaterThan(4);
  expect(found[0]!.notes.join()).toMatch(/No neutral texts/);
});

test("S11: a side ends at its first damage, even where a larger scale would pass", async () => {
  const cost = (_: number, scale: number) => (scale === 2 ? 3 : 1);
  const planted = lens(1, cost);
  const result = await searchSteering(planted, { ...options, twins: 2 });
  expect(result.stopped.map(({ layer, scale, untried }) => [layer, scale, untried])).toEqual([
    [1, 2, [4]],
    [2, 2, [4]],
    [3, 2, [4]],
  ]);
  expect(result.cells.map(({ scale }) => scale)).not.toContain(4);
  expect(planted.calls.map(scaleOf)).not.toContain(4);
  expect(Math.abs(result.winner!.scale)).not.toBe(4);
  expect(result.winner!.scale).not.toBe(2);
  expect(result.cells.find(({ scale }) => scale === 2)!.damage).toEqual([
    expect.stringMatching(/perplexity/),
  ]);
});

test("where every smallest scale does damage, or nothing gains, there is no winner and the reason is said", async () => {
  const everywhere = await searchSteering(
    lens(1, (_, scale) => (scale === 0 ? 1 : 3)),
    options,
  );
  expect(everywhere).toMatchObject({ winner: null, twins: null });
  expect(everywhere.verdict).toMatch(/every layer does damage at its smallest scale/);
  const idle = await searchSteering(lens(0), options);
  expect(idle).toMatchObject({ winner: null });
  expect(idle.verdict).toMatch(/no undamaged layer and scale gains anything/);
});

test("the aim can be to lower a target, and objectives that are none are refused", async () => {
  const { choices: _, ...rest } = options;
  const unchosen = rest.prompts.map(({ prompt, group }) => ({ prompt, group }));
  const down = plantedLens({
    vocabulary: [" yes", " a", " b", " c"],
    logits: (_, dose) => [(dose[0] ?? 0) / 4, 0, 0.1, -0.1],
  });
  const result = await searchSteering(down, {
    ...rest,
    prompts: unchosen,
    target: " yes",
    aim: "lower",
    directions: [at(2, along(0, 1))],
    neutral: [],
    twins: 3,
  });
  expect(result.objective).toEqual({ metric: "net shift of the target, nats", aim: "lower" });
  expect(result.winner!.scale).toBe(-2);
  expect(result.winner!.gain.value!).toBeCloseTo(0.5, 5);
  const refused = (changed: object) => expect(searchSteering(lens(1), { ...options, ...changed })).rejects;
  await refused({ objective: "flip" }).toThrow(
    /the objective is "flip"; allowed with these options: flips, target/,
  );
  await refused({ aim: "lower" }).toThrow(/flips can only be raised/);
  await refused({ directions: undefined }).toThrow(/give directions, or a dataset and its label/);
  await refused({ draws: 0 }).toThrow(/draws: 0; allowed: a number of at least 1/);
  await refused({ scales: [0] }).toThrow(/scales\[0\]/);
  await refused({ directions: [at(1, noise()), at(1, noise())] }).toThrow(/different layers/);
});

test("directions can come from a dataset: the mean difference of each layer", async () => {
  const rows = 20;
  const labels = Array.from({ length: rows }, (_, row) => row % 2 === 0);
  const values = Float32Array.from({ length: rows * width }, (_, i) =>
    i % width === 0 && labels[Math.floor(i / width)] ? 2 : 0,
  );
  const dataset = {
    rows,
    layers: [1, 2],
    hiddenSize: width,
    columns: ["truth"],
    column: () => Promise.resolve(labels),
    layer: () => Promise.resolve(values),
  };
  const { directions: _, ...rest } = options;
  const result = await searchSteering(lens(1), { ...rest, dataset, label: "truth", twins: 0 });
  expect(result.directions.map(({ layer, norm }) => [layer, norm])).toEqual([
    [1, 2],
    [2, 2],
  ]);
  expect(result.winner).toMatchObject({ layer: 2 });
  expect(result.verdict).toMatch(/no random twins were tried/);
});

test("where any push does the same, no winner beats its twins by the rounding of a mean", async () => {
  const unequal = prompts.map(({ prompt }, i) => ({ prompt, group: `g${(i * 5 + (i % 13)) % 13}` }));
  for (let k = 0; k < 6; k++) {
    const planted = plantedLens({
      vocabulary,
      logits: () => [0, 0, 0, 0, 0],
      text: (_, dose) => (dose.some((value) => value !== 0) ? ["b"] : ["a"]),
    });
    const length = functionScorer({
      name: "length",
      score: ({ text, index }) => (text === "b" ? ((0.1 + k / 97) * (index + 1)) / 7 : 0),
    });
    const result = await searchSteering(planted, {
      directions: [at(2, along(0, 1))],
      prompts: unequal.slice(0, 24),
      scales: [1],
      scorers: [length],
      twins: 20,
      draws: 20,
    });
    expect(result.twins).toMatchObject({ asLarge: 20, p: 1 });
    expect(result.verdict).toMatch(/^nothing beats the random twins/);
  }
});

test("of cells that gain as much but for rounding the gentlest is best", () => {
  const cells = [{ scale: -2 }, { scale: 1 }, { scale: 4 }];
  expect(bestCell(cells, [0.3, 0.1 + 0.2, 0.1])).toBe(1);
  expect(bestCell(cells, [undefined, 0.1, 0.2])).toBe(2);
  expect(bestCell(cells, [undefined, undefined, undefined])).toBeUndefined();
});
