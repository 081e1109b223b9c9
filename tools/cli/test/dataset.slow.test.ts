import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { datasetDescriptionSchema, datasetLintSchema, lint, openDataset } from "@residua/analysis";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { firstRunData } from "../src/first-run-data.ts";
import { residua } from "./residua-process.ts";

const scratch = mkdtempSync(join(tmpdir(), "residua-dataset-"));
const cities = join(scratch, "cities");
const tokens = join(scratch, "tokens");
const skewed = join(scratch, "skewed");
const again = join(scratch, "again");

/** The examples of a first run, about the embedded model's cities. */
const { examples } = firstRunData({ cities: 40 });

async function capture(to: string, lines: readonly object[], ...more: string[]): Promise<void> {
  const file = `${to}.jsonl`;
  writeFileSync(file, lines.map((line) => JSON.stringify(line)).join("\n"));
  const { code, stderr } = await residua(["capture", "--examples", file, "--to", to, "--quiet", ...more]);
  expect(code, stderr).toBe(0);
}

beforeAll(async () => {
  await capture(cities, examples);
  await capture(tokens, examples.slice(0, 20), "--select", "all", "--layers", "0,3");
  const longer = examples.map(({ labels, ...rest }) => ({
    ...rest,
    labels: { truth: labels!["truth"] },
    prompt: labels!["truth"] === true ? `It is well known: ${String(rest.prompt)}` : rest.prompt,
  }));
  await capture(skewed, longer, "--layers", "2");
  await capture(again, examples.slice(0, 10));
}, 120_000);
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

describe("residua dataset describe", () => {
  test("says what the cities are, as a table and as JSON", async () => {
    const { code, stdout } = await residua(["dataset", "describe", cities]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^rows +80 of 96 bfloat16 numbers at 6 layers$/m);
    expect(stdout).toMatch(/^groups +40, of 2 examples$/m);
    expect(stdout).toMatch(/^truth +false +40 +40 +50 % +30 +10$/m);
    const json = await residua(["dataset", "describe", cities, "--json", "--quiet"]);
    expect(json.stderr).toBe("");
    const description = datasetDescriptionSchema.parse(JSON.parse(json.stdout));
    expect(description.layers.map(({ nonFinite }) => nonFinite.rows)).toEqual([0, 0, 0, 0, 0, 0]);
    expect(description.layers.every(({ norms }) => norms!.min > 1 && norms!.max < 100)).toBe(true);
  });
});

describe("residua dataset lint", () => {
  test("says nothing against the cities' truth, and of the stated continent what is so", async () => {
    const truth = await residua(["dataset", "lint", cities, "--labels", "truth", "--json"]);
    expect(truth.code, truth.stderr).toBe(0);
    expect(datasetLintSchema.parse(JSON.parse(truth.stdout)).findings).toEqual([]);
    const all = await residua(["dataset", "lint", cities]);
    expect(all.code, all.stderr).toBe(0);
    expect(all.stdout).toMatch(/^warning +uniform_texts +all \d+ texts with continent = .* Verdict:"/m);
    expect(all.stdout).toMatch(
      /^0 errors, \d warnings in 80 rows of 80 examples; labels: continent, truth$/m,
    );
  });

  test("rows of every token: the first ones are equal, and the very first has read nothing", async () => {
    const { code, stdout } = await residua(["dataset", "lint", tokens, "--labels", "truth", "--json"]);
    const { findings } = datasetLintSchema.parse(JSON.parse(stdout));
    expect(code).toBe(0);
    expect(findings.map((finding) => finding.code).sort()).toEqual(["bos_rows", "repeated_rows"]);
  });

  test("exit 3 when length and a template tell the label", async () => {
    const { code, stdout, stderr } = await residua(["dataset", "lint", skewed]);
    expect(code).toBe(3);
    expect(stdout).toMatch(
      /^error +length_skew +prompts with truth = true are longer: length alone has an AUROC of/m,
    );
    expect(stdout).toMatch(
      /^error +uniform_texts +all 40 texts with truth = true begin with "It is well known: The city of/m,
    );
    expect(stderr).toContain("residua: 2 of the findings are errors: length_skew, uniform_texts");
  });

  test("an unknown label is bad input", async () => {
    const { code, stderr } = await residua(["dataset", "lint", cities, "--labels", "nope"]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('column "nope" asked for') as string]);
  });
});

describe("residua dataset merge", () => {
  test("refuses ids that clash, and layers that differ", async () => {
    const to = join(scratch, "refused");
    const clash = await residua(["dataset", "merge", cities, cities, "--to", to]);
    expect([clash.code, clash.stderr]).toEqual([2, expect.stringContaining("which is also in") as string]);
    const differing = await residua(["dataset", "merge", cities, skewed, "--to", to, "--prefix"]);
    const layers = expect.stringContaining("layers 2; expected layers 0, 1, 2, 3, 4, 5") as string;
    expect([differing.code, differing.stderr]).toEqual([2, layers]);
  });

  test("merges with prefixes, and lint sees what was captured twice", async () => {
    const to = join(scratch, "merged");
    const { stdout, stderr } = await residua([
      "dataset",
      "merge",
      cities,
      again,
      "--to",
      to,
      "--prefix",
      "--json",
    ]);
    expect(JSON.parse(stdout), stderr).toMatchObject({ to, rows: 90, examples: 90 });
    const merged = await openDataset(to);
    await merged.validate();
    // The repeated statements stand in one group and one split, but their rows are there twice.
    const { findings } = await lint(merged, { labels: ["truth"] });
    expect(findings.map(({ code }) => code)).toEqual(["repeated_rows"]);
  });
});

describe("residua dataset validate", () => {
  test("exit 0 of a whole dataset, 3 of one changed byte, 2 of no dataset", async () => {
    const whole = await residua(["dataset", "validate", cities, "--json"]);
    expect(whole.code).toBe(0);
    expect(JSON.parse(whole.stdout)).toMatchObject({ ok: true, rows: 80, examples: 80 });
    const shard = join(skewed, "shard-00000.arrow");
    const bytes = readFileSync(shard);
    bytes[bytes.length >> 1]! ^= 1;
    writeFileSync(shard, bytes);
    const changed = await residua(["dataset", "validate", skewed, "--json"]);
    expect(changed.code).toBe(3);
    expect(JSON.parse(changed.stdout)).toMatchObject({ ok: false, code: "shard_checksum", path: shard });
    expect((await residua(["dataset", "validate", scratch])).code).toBe(2);
  });
});
