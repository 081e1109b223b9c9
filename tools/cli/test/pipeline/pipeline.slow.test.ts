import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { statementsAbout } from "@residua/tiny-model";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runPipeline } from "../../src/pipeline/run-pipeline.ts";
import { commandInProcess } from "../command-in-process.ts";
import { residua } from "../residua-process.ts";

const folder = mkdtempSync(join(tmpdir(), "residua-pipeline-"));
const out = join(folder, "out");
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const lines = (split: "train" | "heldOut", count: number) => {
  const statements = statementsAbout({ split });
  const cities = [...new Set(statements.map(({ group }) => group))].slice(0, count);
  return statements
    .filter(({ group }) => cities.includes(group))
    .map(({ prompt, group, truth }) => JSON.stringify({ prompt, group, labels: { truth } }));
};
const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
const pipeline = (change: (text: string) => string = (text) => text) =>
  write(
    "pipeline.yaml",
    change(`out: out
steps:
  - collect: cities
    examples: cities.jsonl
    layers: [0, 4]
  - sweep: by-layer
    dataset: cities
    label: truth
    folds: 3
    gates: [auroc.low >= 0.7, layer == 4]
  - steer: dose
    dataset: cities
    label: truth
    layer: by-layer
    prompts: held-out.jsonl
    choices: [" true", " false"]
    scales: [-1, 0, 1]
    twins: 2
  - report: report.html
`),
  );

interface Outcome {
  steps: { step: string; did: string; because: string[]; gates: { passed: boolean }[] }[];
}
async function run({ explain = false } = {}) {
  const file = join(folder, "pipeline.yaml");
  const outcome = await commandInProcess((context) => runPipeline({ file, explain }, context));
  const { steps } = (outcome.data ?? { steps: [] }) as Outcome;
  const did = Object.fromEntries(steps.map(({ step, did: what }) => [step, what]));
  const because = Object.fromEntries(steps.map(({ step, because: why }) => [step, why]));
  return { ...outcome, did, because, steps };
}
const all = (did: string) => ({ cities: did, "by-layer": did, dose: did, "report.html": did });

beforeAll(async () => {
  write("cities.jsonl", lines("train", 25).join("\n"));
  write("held-out.jsonl", lines("heldOut", 8).join("\n"));
  pipeline();
  const explained = await run({ explain: true });
  expect(explained.did).toEqual({ ...all("waits"), cities: "would run" });
  const first = await run();
  expect(first.code, first.message).toBe(0);
  expect(first.did).toEqual(all("ran"));
  expect(first.steps[1]!.gates.map(({ passed }) => passed)).toEqual([true, true]);
}, 240_000);

test("a second run does nothing, and leaves what is there", async () => {
  const before = readFileSync(join(out, "report.html"));
  const { code, did } = await run();
  expect({ code, did }).toEqual({ code: 0, did: all("skipped") });
  expect(readFileSync(join(out, "report.html")).equals(before)).toBe(true);
  expect(readdirSync(out).sort()).toEqual(
    [
      ".pipeline",
      "by-layer.json",
      "by-layer.provenance.json",
      "cities",
      "dose.json",
      "dose.provenance.json",
      "report.html",
    ].sort(),
  );
});

test("what stands on a changed file or option runs again, and nothing else", async () => {
  write("held-out.jsonl", lines("heldOut", 9).join("\n"));
  const explained = await run({ explain: true });
  expect(explained.because).toMatchObject({
    "by-layer": [],
    dose: ["prompts is another than then"],
    "report.html": ["dose would run first"],
  });
  expect((await run()).did).toEqual({ ...all("skipped"), dose: "ran", "report.html": "ran" });
});

test("a result that was written over is made again; what stands on equal bytes stands", async () => {
  const provenance = readFileSync(join(out, "by-layer.json"));
  write("out/by-layer.json", "{}");
  const { did, because } = await run();
  expect(because["by-layer"]).toEqual(["its result is another than it wrote"]);
  expect(did).toEqual({ ...all("skipped"), "by-layer": "ran" });
  expect(readFileSync(join(out, "by-layer.json")).equals(provenance)).toBe(true);
});

test("a collection that did not end is gone on with; one of other examples is put aside", async () => {
  const file = join(out, ".pipeline/cities.json");
  const state = JSON.parse(readFileSync(file, "utf8")) as { output: string | null };
  writeFileSync(file, JSON.stringify({ ...state, output: null }));
  expect((await run()).because["cities"]).toEqual(["its last run did not end"]);
  expect(readdirSync(out).filter((name) => name.includes(".old"))).toEqual([]);
  write("cities.jsonl", lines("train", 26).join("\n"));
  const { did, told } = await run();
  expect(did).toEqual(all("ran"));
  expect(told).toMatch(/is of other inputs: it is now .*cities\.old-1/);
  expect(readdirSync(out)).toContain("cities.old-1");
});

test("a gate that is not met ends with 3, after everything ran", async () => {
  pipeline((text) => text.replace("auroc.low >= 0.7", "auroc.low >= 1.5"));
  const { code, message, steps } = await run();
  expect(code).toBe(3);
  expect(message).toMatch(/the gate auroc\.low >= 1\.5 is not met/);
  expect(steps).toHaveLength(4);
  pipeline();
});

test.each([
  ["examples: cities.jsonl", "examples: none.jsonl", /examples: none\.jsonl is not there/],
  ["dataset: cities", "dataset: elsewhere", /dataset: elsewhere is neither a collect step that has run nor/],
  ["folds: 3", "folds: 2", /pipeline\.yaml:9: steps\[1\]\.folds: 2; allowed: /],
])("wrong input ends with 2 and says where: %s", async (good, bad, problem) => {
  pipeline((text) => text.replace(good, bad));
  const { code, message } = await run();
  expect(code).toBe(2);
  expect(message).toMatch(problem);
  pipeline();
});

test("the command prints one document, and its exit code says what the gates do", async () => {
  const words = ["run", join(folder, "pipeline.yaml"), "--json", "--quiet"];
  const { code, stdout, stderr } = await residua(words);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect((JSON.parse(stdout) as Outcome).steps.map(({ did }) => did)).toEqual(new Array(4).fill("skipped"));
});
