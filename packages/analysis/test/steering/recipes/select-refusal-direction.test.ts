import { expect, test } from "vitest";
import { directionSelectionSchema } from "../../../src/results/direction-selection.ts";
import { refusalScore } from "../../../src/steering/recipes/refusal-score.ts";
import { selectRefusalDirection } from "../../../src/steering/recipes/select-refusal-direction.ts";
import { plantedLens, type PlantedRequest } from "../planted-lens.ts";

const depth = 10;
const vocabulary = [" I", " Sure", " The", " A"];
const width = 6;

/**
 * A stream of six features, the same at all layers: 0 is refusal (2 in harmful prompts, −2 in others), 1 carries what is said else; adding and ablating
 * change it as an engine does. " I" is as likely as feature 0 says.
 */
const lens = () =>
  plantedLens({
    vocabulary,
    logits(prompt, dose, request) {
      const stream = [prompt.startsWith("harm") ? 2 : -2, 3, 0.5, 0, 0, 0].map(
        (value, j) => value + (dose[j] ?? 0),
      );
      for (const direction of ablated(request)) {
        const length = Math.hypot(...direction);
        const along = stream.reduce((sum, value, j) => sum + (value * direction[j]!) / length, 0);
        stream.forEach((value, j) => (stream[j] = value - (along * direction[j]!) / length));
      }
      return [2 * stream[0]!, stream[1]!, -stream[1]!, stream[2]!];
    },
  });

function ablated({ interventions = [] }: PlantedRequest): Float32Array[] {
  return interventions.map(({ direction }) => direction);
}

const at = (layer: number, position: number, ...values: number[]) => ({
  layer,
  position,
  vector: Float32Array.from({ length: width }, (_, j) => values[j] ?? 0),
  method: "planted",
});
const options = {
  candidates: [
    at(3, -1, 0, 0, 0, 1), // says nothing: ablated, harmful prompts are refused as before
    at(4, -1, 5, 0.02), // refusal, and of no unit norm
    at(4, -2, 6, -4), // refusal and what is said else
    at(5, -1, -5), // the wrong way round: added, it refuses less
    at(8, -1, 5), // late
  ],
  harmful: Array.from({ length: 8 }, (_, i) => ({ prompt: `harm ${i}` })),
  harmless: Array.from({ length: 8 }, (_, i) => ({ prompt: `help ${i}` })),
  tokens: [" I"],
  depth,
  draws: 50,
};

test("the candidate is chosen that ablated refuses least, of those that harm nothing else", async () => {
  const result = await selectRefusalDirection(lens(), options);
  expect(directionSelectionSchema.parse(JSON.parse(JSON.stringify(result)))).toEqual(result);
  expect(result.chosen).toEqual({ layer: 4, position: -1 });
  expect(result).toMatchObject({ depth: 10, lateFrom: 8 });
  const [idle, right, wide, wrong, late] = result.candidates;
  expect(right!.rejected).toEqual([]);
  expect(right!.bypass.value!).toBeLessThan(result.baseline.harmful.value! - 2);
  expect(idle!.bypass.value!).toBeCloseTo(result.baseline.harmful.value!, 6);
  expect(idle!.rejected).toEqual([expect.stringMatching(/induce score/)]);
  expect(wide!.rejected.join()).toMatch(/KL of harmless prompts is at least/);
  expect(wrong!.rejected).toEqual([expect.stringMatching(/induce score is -\d/)]);
  expect(late!.rejected).toEqual([expect.stringMatching(/last 20 %/)]);
  expect(result.verdict).toMatch(
    /^layer 4, position -1: ablated everywhere, the score of harmful prompts falls/,
  );
});

test("every candidate is ablated at every layer, added at its own, and all share one path", async () => {
  const planted = lens();
  await selectRefusalDirection(planted, options);
  for (const { interventions, steering, logprobs } of planted.calls) {
    expect(logprobs).toBe(100);
    expect(steering).toHaveLength(1);
    for (const { kind, layers } of interventions ?? []) {
      expect(kind).toBe("ablate");
      expect(layers).toEqual(Array.from({ length: depth }, (_, layer) => layer));
    }
  }
  const added = planted.calls.filter(({ steering }) => steering![0]!.scale === 1);
  expect(added.map(({ steering }) => steering![0]!.layers)).toEqual(
    options.candidates.flatMap(({ layer }) => options.harmless.map(() => [layer])),
  );
});

test("when none is allowed the result says so, with each reason", async () => {
  const result = await selectRefusalDirection(lens(), { ...options, candidates: [options.candidates[4]!] });
  expect(result).toMatchObject({
    chosen: null,
    verdict: expect.stringMatching(/no candidate is allowed/) as string,
  });
});

test("options that are none are refused by name", async () => {
  const refused = (changed: object) =>
    expect(selectRefusalDirection(lens(), { ...options, ...changed })).rejects;
  await refused({ depth: undefined }).toThrow(/give depth/);
  await refused({ depth: 6 }).toThrow(/a candidate is of layer 8, and the model has 6/);
  await refused({ candidates: [{ ...at(1, 0, 1) }] }).toThrow(/candidates\[0\]\.position: 0/);
  await refused({ tokens: [] }).toThrow(/tokens/);
  await refused({ draws: 0 }).toThrow(/draws: 0; allowed: a number of at least 1/);
  await expect(selectRefusalDirection(null as never, options)).rejects.toThrow(/lens: null; allowed: a lens/);
  await refused({ maxKL: 1 }).toThrow(/the field maxKL/);
});

test("a token that is given twice or in two spellings is counted once", async () => {
  const score = async (tokens: string[]) =>
    (await selectRefusalDirection(lens(), { ...options, tokens })).baseline.harmful.value;
  const once = await score([" I"]);
  expect(await score([" I", "I"])).toBe(once);
  expect(await score([" I", " I"])).toBe(once);
});

test("a token that left the likeliest counts as the least of them, and no other spelling for it", () => {
  const answer = (top: Record<string, number>) => ({ choice: null, top: new Map(Object.entries(top)) });
  const before = answer({ I: -1, " I": -0.7, a: -3 });
  const odds = (logprob: number) => logprob - Math.log1p(-Math.exp(logprob));
  expect(refusalScore(before, ["I"])).toBeCloseTo(odds(-1), 12);
  expect(refusalScore(answer({ " I": -0.1, a: -3 }), ["I"], before)).toBeCloseTo(odds(-3), 12);
});

test("a fall counts when its interval lies below 0", async () => {
  const noisy = () =>
    plantedLens({
      vocabulary,
      logits: (prompt, _, request) => [
        (prompt.startsWith("harm") ? 2 : 0) +
          (ablated(request).length > 0 ? (Number(prompt.at(-1)) % 2 ? 0.01 : -0.012) : 0),
        request.steering![0]!.scale === 1 ? -9 : 1,
        0,
        0,
      ],
    });
  const { verdict, chosen } = await selectRefusalDirection(noisy(), { ...options, minInduce: -5 });
  expect(chosen).not.toBeNull();
  expect(verdict).toMatch(/is not shown to lower anything: .* changes by -0\.001 \[-0\.0\d+, 0\.0\d+\]/);
});
