import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDataset, reportInputSchema, type ReportInput } from "@residua/analysis";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { residua, type Finished } from "./residua-process.ts";

const cwd = mkdtempSync(join(tmpdir(), "residua-first-run-"));
const folder = join(cwd, "runs", "first-run");
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

let first: Finished;
let result: ReportInput;

beforeAll(async () => {
  first = await residua(["first-run"], { cwd });
  expect(first.stderr + first.stdout).not.toMatch(/\n\s+at /);
  expect(first.code).toBe(0);
  result = reportInputSchema.parse(JSON.parse(readFileSync(join(folder, "result.json"), "utf8")));
}, 240_000);

const at = (scale: number) => result.steering.scales.find((entry) => entry.scale === scale)!;

describe("what the embedded model shows, on cities and words that never had a verdict in training", () => {
  test("its answers: verdicts right ≥ 97 %, ratings right ≥ 90 %", () => {
    const [verdicts, ratings] = result.answers!;
    expect(verdicts!.right.value).toBeGreaterThanOrEqual(0.97);
    expect(verdicts!.right.n).toBe(200);
    expect(ratings!.right.value).toBeGreaterThanOrEqual(0.9);
  });

  test("a direction from training cities tells held-out ones: ≥ 0.98 in the middle, ≤ 0.65 at layer 0", () => {
    const aurocs = result.heldOut!.layers.map(({ auroc }) => auroc.value!);
    expect(aurocs[0]).toBeLessThanOrEqual(0.65);
    expect(Math.max(...aurocs.slice(1, -1))).toBeGreaterThanOrEqual(0.98);
    expect(result.heldOut!.groups).toBe(100);
  });

  test("the swept curve stands above its controls at the chosen layer", () => {
    const { chosen, layers } = result.sweep;
    const { controls } = layers.find(({ layer }) => layer === chosen.layer)!;
    expect(chosen.outerScore.low!).toBeGreaterThan(controls.shuffledLabels.high!);
    expect(chosen.outerScore.low!).toBeGreaterThan(controls.randomDirection.high!);
  });

  test("at one scale, adding turns ≥ 90 % to true, subtracting ≥ 90 % to false, ≥ 95 % stay answers, twins turn ≤ 5 %", () => {
    const works = [0.5, 1, 2, 4].filter((scale) => {
      const twins = result.steering.twins.filter((twin) => Math.abs(twin.scale) === scale);
      return (
        at(scale).toFirst.value! >= 0.9 &&
        at(-scale).toSecond.value! >= 0.9 &&
        Math.min(at(scale).valid.value!, at(-scale).valid.value!) >= 0.95 &&
        twins.length > 0 &&
        twins.every((twin) => twin.flipped.value! <= 0.05 && twin.count === 20)
      );
    });
    expect(works.length).toBeGreaterThan(0);
  });

  test("scale 0 turns nothing", () => {
    expect(at(0).toFirst.value).toBe(0);
    expect(at(0).toSecond.value).toBe(0);
  });

  test("a capture of 2049 layers × tokens of an uncatalogued model is refused on both sides, with the sum", () => {
    expect(result.limits).toMatchObject({ sum: 33_570_816, limit: 33_554_432 });
    expect(result.limits!.refusedByLens).toContain("33570816");
    expect(result.limits!.refusedByLens).toContain("nothing was sent");
    expect(result.limits!.refusedByServer).toMatch(/^400 invalid_request: .*33570816.* \(request req_\w+\)$/);
  });
});

describe("what it leaves", () => {
  test("a table of at most 25 lines on stdout, progress on stderr, the file to open last", () => {
    const lines = first.stdout.trimEnd().split("\n");
    expect(lines.length).toBeLessThanOrEqual(25);
    expect(lines.at(-1)).toBe(`open ${join("runs", "first-run", "report.html")}`);
    expect(first.stderr).toContain("capture 800 statements");
  });

  test("a whole dataset, and a report that is one file without a remote address", async () => {
    const dataset = await openDataset(folder);
    expect(dataset.rows).toBe(800);
    const report = readFileSync(join(folder, "report.html"), "utf8");
    expect(report).not.toMatch(/https?:|src=|@import|url\(/i);
    expect(report.length).toBeLessThan(2 ** 21);
  });

  test("peak memory under 2 GiB", () => {
    expect(result.peakMemoryMiB).toBeLessThan(2048);
    expect(result.peakMemoryMiB).toBeGreaterThan(100);
  });
});

describe("a second run", () => {
  test("reads a finished run again and changes nothing", async () => {
    const before = snapshot(folder);
    const again = await residua(["first-run"], { cwd });
    expect(again.code).toBe(0);
    expect(again.stdout).toContain("a finished run, read again");
    expect(snapshot(folder)).toEqual(before);
  });

  test("with --json, stdout is one JSON document", async () => {
    const again = await residua(["first-run", "--json"], { cwd });
    expect(JSON.parse(again.stdout)).toEqual(JSON.parse(readFileSync(join(folder, "result.json"), "utf8")));
  });

  test("the report can be written again from the result", async () => {
    const out = join(cwd, "again.html");
    expect((await residua(["report", folder, "--out", out])).code).toBe(0);
    expect(readFileSync(out, "utf8")).toBe(readFileSync(join(folder, "report.html"), "utf8"));
  });

  test("mends a report that is gone or changed", async () => {
    const report = join(folder, "report.html");
    const whole = readFileSync(report, "utf8");
    writeFileSync(report, "x");
    expect((await residua(["first-run"], { cwd })).code).toBe(0);
    expect(readFileSync(report, "utf8")).toBe(whole);
  });

  test("takes a new name beside a damaged one, and says why", async () => {
    const shard = readdirSync(folder).find((name) => name.endsWith(".arrow"))!;
    truncateSync(join(folder, shard), statSync(join(folder, shard)).size - 100);
    const before = snapshot(folder);
    const { code, stderr } = await residua(["first-run", "--cities", "20"], { cwd });
    expect(code).toBe(0);
    expect(stderr).toMatch(/it stays as it is, and this run is in .*first-run-2/);
    expect(snapshot(folder)).toEqual(before);
    expect(readdirSync(join(cwd, "runs"))).toEqual(["first-run", "first-run-2"]);
    const again = await residua(["first-run", "--cities", "20"], { cwd });
    expect(again.stdout).toContain("a finished run, read again");
    expect(readdirSync(join(cwd, "runs"))).toEqual(["first-run", "first-run-2"]);
  }, 120_000);
});

function snapshot(path: string): [string, number, number][] {
  return readdirSync(path)
    .sort()
    .map((name) => {
      const { size, mtimeMs } = statSync(join(path, name));
      return [name, size, mtimeMs];
    });
}
