import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadProbe, openDataset, transferMatrixSchema } from "@residua/analysis";
import { statementsAbout } from "@residua/tiny-model";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { probeFit } from "../src/probe-fit.ts";
import { transferCommand } from "../src/transfer.ts";
import { commandInProcess } from "./command-in-process.ts";
import { residua, serveTiny, type Finished } from "./residua-process.ts";

const scratch = mkdtempSync(join(tmpdir(), "residua-probe-"));
const at = (name: string) => join(scratch, name);
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

function json({ code, stdout, stderr }: Finished): unknown {
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout);
}

const statements = statementsAbout({ split: "train" });
const cities = [...new Set(statements.map(({ group }) => group))];

/** A dataset of both statements about some cities, the first half of them in split `train`, the others in `control`. */
async function collected(name: string, from: number, to: number, base: string) {
  const some = cities.slice(from, to);
  const lines = statements
    .filter(({ group }) => some.includes(group))
    .map(({ prompt, group, truth }) => {
      const split = some.indexOf(group) < some.length / 2 ? "train" : "control";
      return JSON.stringify({ prompt, group, labels: { truth }, split });
    });
  writeFileSync(at(`${name}.jsonl`), lines.join("\n"));
  const words = ["capture", "--examples", at(`${name}.jsonl`), "--layers", "4", "--to", at(name)];
  json(await residua([...words, "--base-url", base, "--json"]));
}

beforeAll(async () => {
  const { child, finished, url } = await serveTiny();
  await Promise.all([collected("a", 0, 40, url), collected("b", 40, 80, url)]);
  child.kill("SIGTERM");
  await finished;
}, 120_000);

describe("a probe", () => {
  const fit = (...words: string[]) =>
    residua(["probe", "fit", at("a"), "--label", "truth", "--layer", "4", "--probe", "lda", ...words]);

  test("is trained and saved with a threshold, and scores other rows as analysis does", async () => {
    const words = ["--split", "train", "--control-split", "control", "--rate", "0.2"];
    const fitted = json(await fit(...words, "--to", at("truth.json"), "--json"));
    expect(fitted).toMatchObject({
      name: "lda",
      layer: 4,
      label: "truth",
      training: { rows: 40, counts: [20, 20] },
    });
    const probe = await loadProbe(at("truth.json"));
    expect(probe.threshold).toMatchObject({ targetRate: 0.2, n: 20 });

    const scored = json(await residua(["probe", "score", at("truth.json"), at("b"), "--json"])) as {
      auroc: { value: number; n: number; groups: number };
      rows: { row: number; score: number; flagged: boolean }[];
    };
    expect(scored.auroc).toMatchObject({ n: 80, groups: 40 });
    expect(scored.auroc.value).toBeGreaterThan(0.9);
    const scores = probe.score(await (await openDataset(at("b"))).layer(4));
    expect(scored.rows.map(({ score }) => score)).toEqual([...scores]);
    expect(scored.rows.map(({ flagged }) => flagged)).toEqual(
      [...scores].map((score) => score > probe.threshold!.value),
    );
    const { stdout } = await residua(["probe", "score", at("truth.json"), at("b"), "--split", "control"]);
    expect(stdout).toMatch(
      /^40 rows scored[^\n]*\n\d+ flagged by the stored threshold\nAUROC of truth: [01]\.\d{3} \[/,
    );
  });

  test.each([
    [{ to: at("x.bin") }, /--to: ".*x\.bin" is not allowed; give a file that ends in \.json/],
    [{ controlSplit: "control" }, /name the rows to train on too \(--split\)/],
    [{ split: "train", controlSplit: "train" }, /took no part in training/],
    [{ split: "none" }, /no row has the split "none"; the dataset has "train", "control"/],
    [{ layer: 3 }, /Layer 3 is not in the dataset, which holds 4/],
    [{ label: "lie" }, /lie/],
    [{ label: "text" }, /--label: text has \d+ values; allowed: a column with two/],
  ])("is refused with %j, and says what to do", async (change, problem) => {
    const options = {
      ...{ dataset: at("a"), label: "truth", layer: 4, probe: "lda" as const },
      strength: 1,
      rate: 0.01,
    };
    const { code, message } = await commandInProcess((context) =>
      probeFit({ ...options, to: at("x.json"), ...change }, context),
    );
    expect(code, message).toBe(2);
    expect(message).toMatch(problem);
  });

  test("has a rate that is a share", async () => {
    const { code, stderr } = await fit("--to", at("x.json"), "--rate", "1");
    expect(code, stderr).toBe(2);
    expect(stderr).toMatch(/give a number above 0 and below 1/);
  });

  test("is not written over unasked", async () => {
    writeFileSync(at("there.json"), "mine");
    const { code, stderr } = await fit("--to", at("there.json"));
    expect(code).toBe(2);
    expect(stderr).toMatch(/is there already; name another file, or add --replace/);
    expect(readFileSync(at("there.json"), "utf8")).toBe("mine");
  });
});

describe("transfer", () => {
  const words = ["transfer", at("a"), at("b"), "--label", "truth", "--layer", "4", "--probe", "lda"];

  test("scores the probe of each on every other", async () => {
    const found = json(await residua([...words, "--out", at("transfer.json"), "--json"]));
    const matrix = transferMatrixSchema.parse(found);
    expect(matrix.cells.map(({ train, test: on, diagonal }) => [train, on, diagonal])).toEqual([
      ["a", "a", true],
      ["a", "b", false],
      ["b", "a", false],
      ["b", "b", true],
    ]);
    for (const { score } of matrix.cells) expect(score.value).toBeGreaterThan(0.8);
    expect(transferMatrixSchema.parse(JSON.parse(readFileSync(at("transfer.json"), "utf8")))).toEqual(matrix);
  });

  test("prints a table, the diagonal marked", async () => {
    const { stdout } = await residua(words);
    expect(stdout).toMatch(/^fitted on, scored on → +a +b\na +\d\.\d{3} \[[^\]]+\] \* +\d/);
  });

  test.each([
    [[at("a")], /give at least two folders/],
    [[at("a"), `${at("a")}/`], /two folders are called "a"/],
    [[at("a"), at("none")], /none/],
  ])("of %j ends with 2", async (datasets, problem) => {
    const options = { label: "truth", layer: 4, probe: "lda", folds: 5, seed: 0, shared: "refuse" } as const;
    const { code, message } = await commandInProcess((context) =>
      transferCommand({ ...options, datasets }, context),
    );
    expect(code, message).toBe(2);
    expect(message).toMatch(problem);
  });
});
