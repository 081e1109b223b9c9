import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { readPipeline } from "../../src/pipeline/read-pipeline.ts";

const folder = mkdtempSync(join(tmpdir(), "residua-pipelines-"));
const file = join(folder, "pipeline.yaml");
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const read = (text: string) => {
  writeFileSync(file, text);
  return readPipeline(file);
};
const faults = async (text: string) => {
  const error = await read(text).catch((error: Error) => error);
  return (error as Error).message.split("\n").map((line) => line.replace(`${file}:`, ""));
};

const whole = `out: runs/truth
steps:
  - collect: cities
    examples: cities.jsonl
  - sweep: by-layer
    dataset: cities
    label: truth
    gates: [auroc.low >= 0.8]
  - transfer: across
    datasets: [cities, ../rivers]
    label: truth
    layer: by-layer
  - report: report.html
`;

describe("a pipeline", () => {
  test("is read with its defaults; paths start from its folder", async () => {
    const pipeline = await read(whole);
    expect(pipeline).toMatchObject({ base: folder, out: join(folder, "runs/truth"), server: {} });
    expect(pipeline.steps.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
      "collect cities",
      "sweep by-layer",
      "transfer across",
      "report report.html",
    ]);
    expect(pipeline.steps[0]!.options).toMatchObject({ layers: "all", select: "last" });
    expect(pipeline.steps[1]!.options).toMatchObject({ folds: 5, seed: 0, gates: [{ bound: 0.8 }] });
  });

  test.each([
    ["folds: 1", "gates: [auroc.low >= 0.8]", /^8: steps\[1\]\.folds: 1; allowed: /],
    [
      "gates: [auroc]",
      "gates: [auroc.low >= 0.8]",
      /^8: steps\[1\]\.gates\[0\]: "auroc"; allowed: a comparison/,
    ],
    [
      "labels: truth",
      "label: truth\n    layer",
      /^11: steps\[2\]\.labels: an unknown field; allowed: transfer, datasets, label, layer/,
      "labels: truth\n    layer",
    ],
    [
      "layer: other",
      "layer: by-layer",
      /^12: steps\[2\]\.layer: other; allowed: a layer's number, or an earlier sweep \(by-layer\)/,
    ],
    [
      "- swap: a",
      "- report: report.html",
      /^13: steps\[3\]: no kind of step; allowed: one of collect, sweep/,
    ],
    [
      "- report: report.pdf",
      "- report: report.html",
      /^13: steps\[3\]\.report: "report\.pdf"; allowed: a name that ends in \.html/,
    ],
    ["- sweep: ../x", "- sweep: by-layer", /^5: steps\[1\]\.sweep: "\.\.\/x"; allowed: a name of letters/],
    [
      "- sweep: cities",
      "- sweep: by-layer",
      /^5: steps\[1\]\.sweep: cities is the name of an earlier step too/,
    ],
    ["out: [1]", "out: runs/truth", /^1: out: \[1\]; allowed: /],
    ["out: a\nout: b", "out: runs/truth", /^2: not YAML: Map keys must be unique/],
    ["- collect: {", "- collect: cities", /^\d+: /],
  ])("%j is named with its line", async (bad, good, message, text = bad) => {
    const found = await faults(whole.replace(good, text));
    expect(
      found.some((line) => message.test(line)),
      found.join("\n"),
    ).toBe(true);
  });

  test("names every fault at once", async () => {
    const found = await faults(
      whole.replace("examples: cities.jsonl", "select: some").replace("label: truth", "seed: -1"),
    );
    expect(found).toEqual([
      expect.stringMatching(/^3: steps\[0\]\.examples: nothing given; allowed: /),
      expect.stringMatching(/^4: steps\[0\]\.select: "some"; allowed: /),
      expect.stringMatching(/^5: steps\[1\]\.label: nothing given; allowed: /),
      expect.stringMatching(/^7: steps\[1\]\.seed: -1; allowed: /),
    ]);
  });

  test("that is empty, or whose out is a file, says so", async () => {
    expect(await faults("")).toEqual([expect.stringMatching(/is empty; allowed: out, and steps/)]);
    expect(await faults(whole.replace("out: runs/truth", "out: pipeline.yaml"))).toEqual([
      "1: out: pipeline.yaml is a file; allowed: a folder, there or not",
    ]);
    expect(await faults(whole.replace("out:", "server: { url: x }\nout:"))).toEqual([
      "1: server.url: an unknown field; allowed: baseUrl, model, profile",
    ]);
  });

  test("a text that is none names its first fault alone", async () => {
    expect(await faults("# A page\n\n![picture](a.png)\n- x: y: z\n")).toEqual([
      expect.stringMatching(/^\d: not YAML: .{1,200}$/),
    ]);
  });

  test("that is not there says so", async () => {
    await expect(readPipeline(join(folder, "none.yaml"))).rejects.toThrow(
      /none\.yaml cannot be read \(ENOENT\)/,
    );
  });
});
