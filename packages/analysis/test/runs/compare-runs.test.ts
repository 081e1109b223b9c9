import { parseHTML } from "linkedom";
import { describe, expect, it } from "vitest";
import { renderComparison } from "../../src/report/comparison-page.ts";
import { compareRuns, type RunComparison } from "../../src/runs/compare/compare-runs.ts";
import { sampleReport, sampleSteering, sampleSweep } from "../report/report-sample.ts";
import { resultSamples } from "../report/result-samples.ts";
import { everyKind, runOf } from "../report/run-sample.ts";
import { selfTest } from "../report/self-test-sample.ts";

const made = (file: string, dataset: string, { split = "train", sha256 = "c".repeat(64) } = {}) => ({
  format: "residua-provenance",
  schemaVersion: 1,
  file,
  sha256,
  command: `npx residua sweep ${dataset}`,
  inputs: [{ role: "dataset", path: dataset, sha256: dataset.repeat(64).slice(0, 64) }],
  versions: { residua: "0.1.0" },
  settings: { split },
  createdAt: "2026-11-30T15:00:00.000Z",
  seconds: 1,
});
const model = { model: "tiny" };
const roc = { ...resultSamples()["roc-curve"], ...model } as ReturnType<typeof sampleSweep>;
const one = (result: object, provenance: object | undefined, name = "a") =>
  runOf({ "r.json": result, ...(provenance && { "r.provenance.json": provenance }) }, name);
const pairOf = (comparison: RunComparison) => comparison.pairs[0]!;
const steering = sampleSteering();
const same = made("r.json", "a");

describe("compareRuns", () => {
  it("gives differences with intervals where data, model and seed are the same", () => {
    const other = { ...steering, draws: 4000 };
    other.scales = other.scales.map((entry) => ({
      ...entry,
      valid: { value: 0.5, low: 0.4, high: 0.6, n: 80 },
    }));
    const pair = pairOf(compareRuns(one(steering, same), one(other, same, "b")));
    expect(pair.obstacles).toEqual([]);
    expect(pair.settings).toEqual([{ name: "draws", a: 2000, b: 4000 }]);
    const valid = pair.numbers.find(({ metric, of }) => metric === "scales.valid" && of["scale"] === 0);
    // 0.9875 (0.975 to 1) less 0.5 (0.4 to 0.6).
    expect(valid?.difference?.value).toBeCloseTo(0.4875, 12);
    expect(valid?.difference?.low).toBeCloseTo(0.4875 - Math.hypot(0.0125, 0.1), 12);
    expect(valid?.difference?.high).toBeCloseTo(0.4875 + Math.hypot(0.0125, 0.1), 12);
    expect(valid?.intervalsApart).toBe(true);
    const shift = pair.numbers.find(({ metric, of }) => metric === "scales.shift" && of["scale"] === 1);
    expect(shift?.difference?.value).toBe(0);
  });

  it.each([
    ["model", { ...steering, model: "other" }, same, /^other model \(residua\/tiny \/ other\)/],
    ["seed", { ...steering, seed: 12 }, same, /^other seed \(11 \/ 12\)/],
    ["rows", { ...steering, n: 81 }, same, /^other data \(n 80 \/ 81\)/],
    ["dataset", steering, made("r.json", "b"), /^other data \(what was recorded of them differs\)/],
    ["split", steering, made("r.json", "a", { split: "all" }), /^other data/],
    ["choices", { ...steering, choices: [" yes", " no"] }, same, /^other choices/],
    ["data that is not recorded", steering, undefined, /^which data they are of is not recorded/],
  ])("tells no difference for other %s, and says so in words", (_, result, provenance, obstacle) => {
    const pair = pairOf(compareRuns(one(steering, same), one(result, provenance, "b")));
    expect(pair.obstacles).toHaveLength(1);
    expect(pair.obstacles[0]).toMatch(obstacle);
    expect(pair.numbers.length).toBeGreaterThan(100);
    expect(pair.numbers.every(({ difference }) => difference === null)).toBe(true);
    expect(pair.numbers.some(({ intervalsApart }) => intervalsApart === false)).toBe(true);
  });

  it("gives ranges of draws no interval of their difference", () => {
    const sweep = { ...sampleSweep(), model: "tiny" };
    const pair = pairOf(compareRuns(one(sweep, same), one(sweep, same, "b")));
    // No model is recorded beside a sweep without its dataset.
    expect(pair.obstacles).toEqual(["the model is not recorded: whether both are of one is not known"]);
    const first = runOf({ "result.json": sampleReport() }, "a");
    const found = compareRuns(first, first).pairs.find(({ kind }) => kind === "layer-sweep");
    expect(found?.obstacles).toEqual([]);
    const shuffled = found?.numbers.filter(({ metric }) => metric.endsWith("shuffledLabels")) ?? [];
    expect(shuffled.length).toBe(6);
    for (const { difference } of shuffled)
      expect(difference).toMatchObject({ value: 0, low: null, high: null });
    const scores = found?.numbers.filter(({ metric }) => metric === "layers.probes.score") ?? [];
    expect(scores).toHaveLength(12);
    for (const { difference } of scores) expect(difference?.high).toBeGreaterThan(0);
  });

  it("pairs by file and subject first, and leaves out where there is a choice", () => {
    const a = runOf(
      { "x.json": roc, "y.json": { ...roc, label: "sense" }, "lone.json": resultSamples().direction },
      "a",
    );
    const b = runOf(
      { "z.json": { ...roc, label: "sense" }, "x.json": roc, "w.json": { ...roc, label: "mood" } },
      "b",
    );
    const { pairs, onlyA, onlyB } = compareRuns(a, b);
    expect(pairs.map(({ files }) => [files.a, files.b])).toEqual([
      ["x.json", "x.json"],
      ["y.json", "z.json"],
    ]);
    expect(onlyA.map(({ file }) => file)).toEqual(["lone.json"]);
    expect(onlyB.map(({ file }) => file)).toEqual(["w.json"]);
  });

  it("compares what self-tests found, and every check's verdict", () => {
    const other = selfTest();
    other.fingerprint.hash = "e".repeat(64);
    other.fingerprint.verdicts.S4 = "pass";
    const pair = pairOf(compareRuns(runOf({ "s.json": selfTest() }), runOf({ "s.json": other })));
    expect(pair.settings.map(({ name }) => name)).toEqual(["hash", "check: S4"]);
    expect(pair.obstacles).toEqual([]);
  });

  it("refuses runs without anything of the same kind", () => {
    const [a, b] = [runOf({ "r.json": roc }, "a"), runOf({ "d.json": resultSamples().direction }, "b")];
    expect(() => compareRuns(a, b)).toThrow(
      /nothing of the same kind in both: the first holds roc-curve, the second direction/,
    );
  });

  it("is plain JSON", () => {
    const comparison = compareRuns(everyKind(), everyKind());
    expect(JSON.parse(JSON.stringify(comparison))).toEqual(comparison);
    expect(comparison.pairs).toHaveLength(20);
  });
});

describe("renderComparison", () => {
  it("shows both sides, what differs, the differences, and what stands alone", () => {
    const other = { ...steering, draws: 4000 };
    const a = runOf({ "r.json": steering, "r.provenance.json": same, "lone.json": roc }, "<i>first</i>");
    const b = runOf({ "r.json": other, "r.provenance.json": same }, "second");
    const page = renderComparison(a, b);
    const { document } = parseHTML(page);
    expect(document.querySelector("h1")?.textContent).toBe("<i>first</i> against second");
    expect(document.querySelectorAll(".sides > div")).toHaveLength(2);
    expect(document.querySelectorAll("figure")).toHaveLength(2);
    const text = document.querySelector("main")?.textContent?.replace(/\s+/g, " ");
    expect(text).toMatch(/draws\s*2000\s*4000/);
    expect(text).toContain("difference");
    expect(document.querySelector("#alone")?.textContent).toContain("lone.json");
    expect(page).not.toMatch(/http|\/\/|url\(|@import|src=/);
  });

  it("takes every kind with hostile texts, within its size", () => {
    const text = `</script><script>alert(1)</script>${"\u202e&".repeat(5000)}`;
    const page = renderComparison(everyKind(text), everyKind(text));
    expect(Buffer.byteLength(page)).toBeLessThanOrEqual(2_000_000);
    const { document } = parseHTML(page);
    expect(document.querySelectorAll("script")).toHaveLength(1);
    expect(page).not.toMatch(/\/\/|[\u202a-\u202e\u2066-\u2069]/);
  });
});
