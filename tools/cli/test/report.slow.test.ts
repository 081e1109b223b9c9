import { createHash } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LayerSweep, Provenance, RunComparison } from "@residua/analysis";
import { statementsAbout } from "@residua/tiny-model";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { residua, serveTiny, type Finished } from "./residua-process.ts";

const scratch = mkdtempSync(join(tmpdir(), "residua-report-"));
const at = (...parts: string[]): string => join(scratch, ...parts);
const read = (file: string): string => readFileSync(at(file), "utf8");
const parsed = <T>(file: string): T => JSON.parse(read(file)) as T;
let serving: Awaited<ReturnType<typeof serveTiny>>;
let base: string;

const run = (...words: string[]): Promise<Finished> =>
  residua(words, { cwd: scratch, env: { ACS_API_BASE: base } });
const ok = async (...words: string[]): Promise<Finished> => {
  const finished = await run(...words);
  expect(finished.code, finished.stderr).toBe(0);
  return finished;
};

beforeAll(async () => {
  const cities = statementsAbout({ split: "heldOut" }).slice(0, 40);
  const lines = cities.map(({ prompt, group, truth }) =>
    JSON.stringify({ prompt, group, labels: { truth } }),
  );
  writeFileSync(at("examples.jsonl"), lines.join("\n"));
  serving = await serveTiny();
  base = serving.url;
  await ok("capture", "--examples", "examples.jsonl", "--layers", "2,4", "--to", "cities", "--quiet");
});
afterAll(async () => {
  serving.child.kill("SIGTERM");
  await serving.finished;
  rmSync(scratch, { recursive: true, force: true });
});

describe("--out makes a run folder", () => {
  test("sweep writes what --json prints, with its provenance, and a person still reads the table", async () => {
    const table = await ok("sweep", "cities", "--label", "truth", "--folds", "3", "--out", "a/sweep.json");
    expect(table.stdout).toContain("chosen by inner folds");
    const json = await ok("sweep", "cities", "--label", "truth", "--folds", "3", "--json", "--quiet");
    expect(read("a/sweep.json")).toBe(json.stdout);
    const made = parsed<Provenance>("a/sweep.provenance.json");
    expect(made).toMatchObject({
      file: "sweep.json",
      sha256: createHash("sha256").update(json.stdout).digest("hex"),
      command: "npx residua sweep cities --label truth --folds 3 --out a/sweep.json",
      versions: { residua: "0.1.0", node: process.versions.node },
      settings: { backend: expect.any(String) as string },
    });
    const { contentHash } = parsed<{ contentHash: string }>("cities/dataset.json");
    expect(made.inputs).toEqual([{ role: "dataset", path: "cities", sha256: contentHash }]);
  });

  test("steer and selftest say what they stood on", async () => {
    const steer = ["steer", "cities", "--label", "truth", "--layer", "4", "--prompts", "examples.jsonl"];
    const more = [
      "--choices",
      " true, false",
      "--scales=0,1",
      "--twins",
      "2",
      "--out",
      "a/steer.json",
      "--quiet",
    ];
    await ok(...steer, ...more);
    const steered = parsed<Provenance>("a/steer.provenance.json");
    expect(steered.command).toContain(`--choices ' true, false' --scales=0,1`);
    expect(steered.inputs.map(({ role }) => role)).toEqual(["dataset", "prompts"]);
    expect(steered.settings).toMatchObject({ server: new URL(base).origin, profile: "acs" });
    await ok("selftest", "--checks", "S1", "--out", "a/selftest.json", "--quiet");
    expect(parsed<Provenance>("a/selftest.provenance.json").settings["server"]).toBe(new URL(base).origin);
  });

  test("--replace writes over a result", async () => {
    mkdirSync(at("b"), { recursive: true });
    writeFileSync(at("b/sweep.json"), "{}");
    await ok(
      "sweep",
      "cities",
      "--label",
      "truth",
      "--folds",
      "4",
      "--out",
      "b/sweep.json",
      "--replace",
      "--quiet",
    );
    expect(parsed<LayerSweep>("b/sweep.json").folds).toBe(4);
  });
});

describe("report", () => {
  test("shows every document of the folder, and names what it skips", async () => {
    cpSync(at("cities/dataset.json"), at("a/dataset.json"));
    writeFileSync(at("a/cut.json"), '{"kind":"layer-sweep","sch');
    const { stdout, stderr } = await ok("report", "a", "--json");
    expect(stderr).toMatch(/skipped cut.json: not whole JSON/);
    const told = JSON.parse(stdout) as {
      report: string;
      bytes: number;
      documents: { kind: string }[];
      skipped: unknown[];
    };
    expect(told.report).toBe(join("a", "report.html"));
    expect(told.bytes).toBe(readFileSync(at("a/report.html")).byteLength);
    const kinds = [
      "dataset",
      "layer-sweep",
      "provenance",
      "provenance",
      "provenance",
      "self-test",
      "steering-evaluation",
    ];
    expect(told.documents.map(({ kind }) => kind).sort()).toEqual(kinds);
    expect(told.skipped).toHaveLength(1);
    expect(read("a/report.html")).toContain(
      "npx residua sweep cities --label truth --folds 3 --out a/sweep.json",
    );
  });

  test("--extract gives every document back, byte for byte", async () => {
    await ok("report", "a", "--out", "sent.html");
    const { stdout } = await ok("report", "--extract", "sent.html", "--out", "back", "--json");
    const { files } = JSON.parse(stdout) as { files: string[] };
    expect(files).toEqual(
      readdirSync(at("a"))
        .filter((name) => name.endsWith(".json") && name !== "cut.json")
        .sort(),
    );
    for (const file of files) expect(readFileSync(at("back", file))).toEqual(readFileSync(at("a", file)));
  });
});

test("compare tells settings that differ and the differences of numbers of the same data", async () => {
  cpSync(at("cities/dataset.json"), at("b/dataset.json"));
  const { stdout } = await ok("compare", "a", "b", "--out", "comparison.html", "--json", "--quiet");
  const comparison = JSON.parse(stdout) as RunComparison;
  const pair = comparison.pairs.find(({ kind }) => kind === "layer-sweep");
  expect(pair?.obstacles).toEqual([]);
  expect(pair?.settings.find(({ name }) => name === "folds")).toEqual({ name: "folds", a: 3, b: 4 });
  const scores = pair?.numbers.filter(({ metric }) => metric === "layers.probes.score") ?? [];
  expect(scores.length).toBe(4);
  for (const { a, b, difference } of scores) expect(difference?.value).toBe(a!.value! - b!.value!);
  expect(comparison.onlyA.map(({ kind }) => kind).sort()).toEqual(["self-test", "steering-evaluation"]);
  expect(read("comparison.html")).toContain("a against b");
  const text = await ok("compare", "a", "b", "--quiet");
  expect(text.stdout).toContain("folds: 3 / 4");
});
