import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { lastK } from "@residua/lens";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type LocalLens, openLocal } from "../../src/local/open-local.ts";
import { tinyModel } from "../support.ts";

let lens: LocalLens;
let scratch: string;
beforeAll(async () => {
  lens = await openLocal(tinyModel, { modelId: "tiny" });
  scratch = await mkdtemp(join(tmpdir(), "residua-local-"));
});
afterAll(async () => {
  await lens.dispose();
  await rm(scratch, { recursive: true });
});

/** City, its continent, another one. */
const cities = [
  ["Paris", "Europe", "Asia"],
  ["Rome", "Europe", "Africa"],
  ["Tokyo", "Asia", "Europe"],
  ["Cairo", "Africa", "Asia"],
] as const;

test("collect and evaluateSteering take a model in process as they take a server", async () => {
  // Loaded late, as the engine itself loads it.
  const { collect, evaluateSteering, meanDifference } = await import("@residua/analysis");
  const statements = cities.flatMap(([city, own, other]) =>
    [own, other].map((continent) => ({
      prompt: `The city of ${city} is in ${continent}. Verdict:`,
      truth: continent === own,
      group: city,
    })),
  );
  const dataset = await collect(
    lens,
    statements.map(({ prompt, truth, group }, i) => ({ id: `${i}`, prompt, labels: { truth }, group })),
    { layers: [2, 4], select: "last", to: join(scratch, "cities") },
  );
  expect(dataset.rows).toBe(statements.length);
  const last = await lens.capture({ prompt: statements[0]!.prompt, layers: [4] });
  expect((await dataset.layer(4)).subarray(0, 96)).toEqual(last.row({ layer: 4, position: -1 }));

  const direction = await meanDifference(dataset, { label: "truth", layer: 4 });
  const effect = await evaluateSteering(lens, {
    direction,
    prompts: statements.map(({ prompt, truth, group }) => ({ prompt, group, from: truth ? 0 : 1 })),
    choices: [" true", " false"],
    scales: [-2, 0, 2],
    twins: 1,
    draws: 20,
  });
  expect(effect.scales.map(({ scale }) => scale)).toEqual([-2, 0, 2]);
});

/** Cities that the model knows. */
const known = {
  Africa: "Cairo Durban Marrakesh Misrata Accra Freetown Libreville Lilongwe",
  Asia: "Tokyo Busan Wuhan Hanoi Medan Jaipur Kathmandu Shiraz",
  Europe: "London Budapest Athens Tirana Riga Chisinau Seville Lille",
  "North America": "Toronto Chicago Atlanta Pittsburgh Tucson Buffalo Oaxaca Tegucigalpa",
  "South America": "Brasilia Campinas Rosario Valparaiso Cusco Ambato Cucuta Asuncion",
};

test("positions, tokens and the logit lens of a real model become results", async () => {
  const { collect, logistic, logitLensTable, projectLayer, sweepPositions, tokenScores, trainProbe } =
    await import("@residua/analysis");
  const places = Object.keys(known);
  const statements = Object.entries(known).flatMap(([own, names], at) =>
    names.split(" ").flatMap((name, i) => {
      const other = places[(at + 1 + (i % 4)) % places.length]!;
      return [own, other].map((place) => ({
        id: `${name} ${place}`,
        prompt: `The city of ${name} is in ${place}. Verdict:`,
        labels: { truth: place === own },
        group: name,
      }));
    }),
  );
  const dataset = await collect(lens, statements, {
    layers: [0, 4],
    select: lastK(4),
    to: join(scratch, "last"),
  });
  const sweep = await sweepPositions(dataset, { label: "truth" });
  expect(sweep.positions).toEqual([-4, -3, -2, -1]);
  const cell = (layer: number, position: number) =>
    sweep.cells.find((one) => one.layer === layer && one.position === position)!;
  expect(cell(4, -1)).toMatchObject({ token: ":", score: { n: 80, groups: 40 } });
  expect(cell(4, -1).score.low!).toBeGreaterThan(0.9);
  expect(cell(0, -1).score.high!).toBeLessThan(0.75);
  expect(cell(4, -2)).toMatchObject({ token: " Verdict" });
  expect(cell(4, -2).score.value!).toBeLessThan(0.8);

  const where = { token: ":" };
  const plane = await projectLayer(dataset, { layer: 4, label: "truth", method: "lda", where });
  const [no, yes] = plane.ellipses;
  expect(yes!.x - no!.x).toBeGreaterThan(yes!.a + no!.a);

  const probe = await trainProbe(dataset, {
    probe: logistic({ C: [0.01] }),
    layer: 4,
    label: "truth",
    where,
  });
  const capture = await lens.capture({ prompt: statements[0]!.prompt, layers: [4], max_tokens: 1 });
  const scored = tokenScores(capture, [probe]);
  expect(scored.tokens.map(({ text }) => text).slice(-3)).toEqual([" Verdict", ":", " true"]);
  const scores = scored.layers[0]!.scores;
  expect(scores.slice(-2)).toEqual([expect.any(Number), null]);
  expect(scores.at(-2)!).toBeGreaterThan(0);

  const table = logitLensTable(await lens.local.logitLens({ prompt: statements[0]!.prompt }, { top: 2 }));
  expect(table.layers.map(({ layer }) => layer)).toEqual([0, 1, 2, 3, 4, 5]);
  expect(table.layers.at(-1)!.readings.at(-1)).toMatchObject({ top: [{ text: " true" }, {}], kl: 0 });
  expect(table.tokens.at(-1)).toMatchObject({ text: ":", position: capture.positions - 1 });
});
