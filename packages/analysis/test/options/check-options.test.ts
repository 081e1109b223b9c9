import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { checkCollectOptions } from "../../src/collect/collect-options.ts";
import { collectRollouts } from "../../src/collect/rollouts/collect-rollouts.ts";
import { checkRolloutOptions } from "../../src/collect/rollouts/rollout-options.ts";
import { describe as describeRows } from "../../src/dataset/health/describe.ts";
import { lint } from "../../src/dataset/health/lint.ts";
import { mergeDatasets } from "../../src/dataset/views/merge-datasets.ts";
import { viewOf } from "../../src/dataset/views/view-methods.ts";
import { checkExamples } from "../../src/examples/example.ts";
import { checkLoadOptions } from "../../src/examples/load-options.ts";
import * as analysis from "../../src/index.ts";
import { directionFromJSON } from "../../src/probes/direction.ts";
import { renderReport } from "../../src/report/report.ts";
import { freshFolder } from "../collect/collect-helpers.ts";
import { MemoryLens } from "../collect/memory-lens.ts";
import { memorySource } from "../dataset/memory-source.ts";

const source = memorySource({ rows: 4, dtype: "float32" });
const other = memorySource({ rows: 4, dtype: "float32" });

/** What checks options, with the names of all of them and options that are right. */
const checks: [string, (options: never) => unknown, Record<string, unknown>, readonly string[]][] = [
  [
    "collect",
    checkCollectOptions,
    { to: "runs/x", layers: [0] },
    [
      ...["model", "layers", "select", "to", "concurrency", "signal", "onProgress", "onPlan", "shardRows"],
      ...["max_tokens", "chat", "reuse", "retryFailed", "failFast", "maxFailures", "countTokens", "rate"],
    ],
  ],
  [
    "collectRollouts",
    checkRolloutOptions,
    { to: "runs/x", layers: [0], grade: () => true },
    [
      ...["n", "max_tokens", "temperature", "stop", "seed", "sampling", "logprobs", "grade", "gradeVersion"],
      "onProgress",
    ],
  ],
  [
    "loadExamples",
    (options) => checkLoadOptions("a.jsonl", options),
    {},
    ["format", "columns", "types", "delimiter", "take"],
  ],
  [
    "an example",
    (example) => checkExamples([example]),
    { prompt: "a" },
    ["id", "prompt", "messages", "group", "labels", "split", "extra"],
  ],
  ["select", (options) => viewOf(source).select(options), {}, ["layers", "columns"]],
  [
    "join",
    (options) => viewOf(source).join([{ example: "e0", more: 1 }], options),
    { unmatched: "null" },
    ["on", "labels", "unmatched", "repeated", "unused"],
  ],
  [
    "append",
    (options) => viewOf(source).append(other, options),
    { prefix: "b/" },
    ["prefix", "prefixGroups"],
  ],
  [
    "write",
    async (options) => viewOf(source).write(await freshFolder(), options),
    {},
    ["signal", "onProgress", "shardRows"],
  ],
  [
    "merge",
    (options) => mergeDatasets([], "runs/x", options),
    {},
    ["prefix", "prefixGroups", "signal", "onProgress", "shardRows"],
  ],
  ["describe", (options) => describeRows(source, options), {}, ["bosTokenId", "signal", "onProgress"]],
  ["lint", (options) => lint(source, options), {}, ["labels", "description", "bosTokenId", "signal"]],
];

const wrong: Readonly<Record<string, unknown>> = {
  null: null,
  "a text": "middle",
  "an empty text": "",
  "a number": -1.5,
  NaN,
  true: true,
  "an empty list": [],
  "a list of numbers": [1.5, 2],
  "a list of lists": [[null]],
  "an object": { no: { such: undefined } },
  "a selection": { kind: "span", target: { tokens: [1.5] } },
  "a chat selection": { kind: "chat", role: 3, part: "x" },
  "a last that is none": { last: 0 },
  "a depth that is none": { depth: 7 },
  "a function": () => undefined,
  "more than a number holds": Number("1e400"),
};

describe.each(checks)("%s", (_, check, right, names) => {
  test("says of every wrong value what is allowed", async () => {
    let refused = 0;
    for (const name of [...names, "no_such_option"]) {
      for (const value of Object.values(wrong)) {
        const message = await messageOf(() => check({ ...right, [name]: value } as never));
        if (message === undefined) continue;
        refused++;
        expect(message).toMatch(/allowed|expected|one of/);
        expect(message).not.toMatch(/Invalid input|a value of another form|allowed: ?[;.]?$/);
      }
    }
    expect(refused).toBeGreaterThan(8 * names.length);
  });
});

/** Undefined where nothing is wrong with it. What is no error of ours fails the test. */
async function messageOf(run: () => unknown): Promise<string | undefined> {
  try {
    await run();
    return undefined;
  } catch (error) {
    expect(error).toMatchObject({ code: expect.stringMatching(/^[a-z_]+$/) as string });
    return (error as Error).message;
  }
}

test("what is allowed is said in words", () => {
  const message = (options: object): string => {
    try {
      checkCollectOptions({ to: "a", layers: [0], ...options });
    } catch (error) {
      return (error as Error).message;
    }
    return "";
  };
  expect(message({ select: "middle" })).toMatch(
    /select: "middle"; allowed: "last", "first", "all", \{ last: k \}/,
  );
  expect(message({ layers: "some" })).toMatch(/layers: "some"; allowed: "all", \{ depth \}/);
  expect(message({ chat: { chat_template_kwargs: { a: [undefined] } } })).toMatch(
    /chat\.chat_template_kwargs\.a: \[null\]; allowed: a text, or a finite number, or true or false, or null/,
  );
  expect(message({ concurrency: 0 })).toMatch(/concurrency: 0; allowed: a number of at least 1/);
  const secret = message({ apiKey: "sk-1" });
  expect(secret).toMatch(/options: the field apiKey; allowed: only model, layers, select/);
  expect(secret).not.toContain("sk-1");
});

test("documents that are none say what they may be", () => {
  const documents = [{}, { schemaVersion: 1, layer: "x", vector: "y" }, 3, null];
  for (const given of documents) {
    expect(() => directionFromJSON(given)).toThrow(/allowed/);
    expect(() => directionFromJSON(given)).not.toThrow(/Invalid input/);
    expect(() => renderReport(given as never)).not.toThrow(/Invalid input/);
  }
});

describe("what is no path is refused by name, whatever takes it", () => {
  const lens = new MemoryLens();
  const examples = [{ prompt: "a" }];
  const takes: Record<string, (path: string) => unknown> = {
    "collect.to": (to) => analysis.collect(lens, examples, { to, layers: [0] }),
    "collect.reuse": (path) => analysis.collect(lens, examples, { to: "a", layers: [0], reuse: [path] }),
    planCollection: (to) => analysis.planCollection(lens, examples, { to, layers: [0] }),
    collectRollouts: (to) => collectRollouts(lens, examples, { to, layers: [0], grade: () => true }),
    openDataset: (path) => analysis.openDataset(path),
    writeDataset: (to) => analysis.writeDataset(to, source, { how: "test", from: [] }),
    "view.write": (to) => viewOf(source).write(to),
    "mergeDatasets.to": (to) => analysis.mergeDatasets(["a", "b"], to),
    "mergeDatasets.folders": (path) => analysis.mergeDatasets([path, "b"], "to"),
    loadExamples: (path) => analysis.loadExamples(path),
    importRows: (path) => analysis.importRows(path),
    "importDataset.path": (path) => analysis.importDataset(path, "to"),
    "importDataset.to": (to) => analysis.importDataset("a.parquet", to),
    readArrow: (path) => analysis.readArrow(path),
    readParquet: (path) => analysis.readParquet(path),
    readNpyRows: (path) => analysis.readNpyRows(path),
    readSafetensorsRows: (path) => analysis.readSafetensorsRows(path),
    writeArrow: (path) => analysis.writeArrow(source, path),
    "writeArrow over a file": (path) => analysis.writeArrow(source, path, { replace: true }),
    writeParquet: (path) => analysis.writeParquet(source, path),
    writeNpyFolder: (path) => analysis.writeNpyFolder(source, path),
    writeSafetensorsRows: (path) => analysis.writeSafetensorsRows(source, path, { replace: true }),
    ...Object.fromEntries(
      analysis.rowFormats.map((format) => [
        `exportRows ${format}`,
        (path: string) => analysis.exportRows(source, path, { format }),
      ]),
    ),
    writeReport: (to) => analysis.writeReport({} as never, to),
    writeRunReport: (to) => analysis.writeRunReport({} as never, to),
    readRun: (to) => analysis.readRun(to),
    writeFileAtomic: (path) => analysis.writeFileAtomic(path, []),
    freeRunName: (path) => analysis.freeRunName(path),
  };
  const paths = ["a\0b", join("a", "\0"), "", null, 3] as readonly string[];
  test.each(Object.entries(takes))("%s", async (_, take) => {
    for (const path of paths) {
      const message = await messageOf(() => take(path));
      expect(message).toMatch(/allowed: a path: a text that is not empty and has no NUL character/);
    }
  });
});

test("a selection of lens as data says what it may be", () => {
  const select = { kind: "span", target: { tokens: [1.5] } } as never;
  expect(() => checkCollectOptions({ to: "a", layers: [0], select })).toThrow(
    /occurrence: one of only, first, last, all, or a whole number from 0/,
  );
});
