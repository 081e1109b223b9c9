import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
