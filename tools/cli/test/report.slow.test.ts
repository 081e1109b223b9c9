import { createHash } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LayerSweep, Provenance, RunComparison } from "@residua/analysis";
import { statementsAbout } from "@residua/tiny-model";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { captureCommand } from "../src/capture.ts";
import { compareCommand } from "../src/compare.ts";
import { reportCommand } from "../src/report.ts";
import { selfTestCommand } from "../src/selftest.ts";
import { steerCommand } from "../src/steer.ts";
import { sweepCommand } from "../src/sweep.ts";
import { residua, serveTiny } from "./residua-process.ts";

const scratch = mkdtempSync(join(tmpdir(), "residua-report-"));
const at = (...parts: string[]): string => join(scratch, ...parts);
const parsed = <T>(file: string): T => JSON.parse(readFileSync(at(file), "utf8")) as T;
let serving: Awaited<ReturnType<typeof serveTiny>>;
let server: { baseUrl: string; model: string };

/** A command's words, kept. */
function listen() {
  const heard = { progress: [] as string[], data: undefined as unknown, text: "" };
  const output = {
    json: true,
    progress: (text: string) => void heard.progress.push(text),
    count: () => undefined,
    result: (data: unknown, text: string) => void Object.assign(heard, { data, text }),
  };
  return { heard, context: { output, signal: new AbortController().signal } };
}

beforeAll(async () => {
  const cities = statementsAbout({ split: "heldOut" }).slice(0, 40);
  const lines = cities.map(({ prompt, group, truth }) =>
    JSON.stringify({ prompt, group, labels: { truth } }),
  );
  writeFileSync(at("examples.jsonl"), lines.join("\n"));
  serving = await serveTiny();
  server = { baseUrl: serving.url, model: "tiny" };
  await captureCommand(
    {
      ...server,
      examples: at("examples.jsonl"),
      layers: "2,4",
      select: "last",
      maxTokens: 1,
      to: at("cities"),
    },
    listen().context,
  );
});
afterAll(async () => {
  serving.child.kill("SIGTERM");
  await serving.finished;
  rmSync(scratch, { recursive: true, force: true });
});

const sweep = { label: "truth", folds: 3, seed: 0 };

describe("--out makes a run folder", () => {
  test(
    "sweep writes what --json prints, with its command, inputs and versions beside it",
    { timeout: 240_000 },
    async () => {
      const words = ["sweep", "cities", "--label", "truth", "--folds", "3", "--out", "a/sweep.json"];
      const { code, stdout, stderr } = await residua(words, { cwd: scratch });
      expect(code, stderr).toBe(0);
      expect(stdout).toContain("chosen by inner folds");
      expect(stderr).toContain("written: a/sweep.json");
      const { heard, context } = listen();
      await sweepCommand({ ...sweep, dataset: at("cities") }, context);
      const text = readFileSync(at("a/sweep.json"), "utf8");
      expect(text).toBe(`${JSON.stringify(heard.data)}\n`);
      const { contentHash } = parsed<{ contentHash: string }>("cities/dataset.json");
      expect(parsed<Provenance>("a/sweep.provenance.json")).toMatchObject({
        file: "sweep.json",
        sha256: createHash("sha256").update(text).digest("hex"),
        command: "npx residua sweep cities --label truth --folds 3 --out a/sweep.json",
        versions: { residua: "0.1.0", node: process.versions.node },
        settings: {
          backend: expect.any(String) as string,
          model: expect.stringMatching(/^tiny \(.+\)$/) as string,
        },
        inputs: [{ role: "dataset", path: "cities", sha256: contentHash }],
      });
    },
  );

  test("steer and selftest say what they stood on", { timeout: 240_000 }, async () => {
    const steer = {
      dataset: at("cities"),
      label: "truth",
      layer: 4,
      prompts: at("examples.jsonl"),
      choices: " true, false",
    };
    const more = { scales: "0,1", twins: 2, seed: 0, directions: at("directions"), out: at("a/steer.json") };
    await steerCommand({ ...server, ...steer, ...more }, listen().context);
    const steered = parsed<Provenance>("a/steer.provenance.json");
    expect(steered.inputs.map(({ role }) => role)).toEqual(["dataset", "prompts"]);
    const origin = new URL(serving.url).origin;
    expect(steered.settings).toEqual({ server: origin, profile: "acs", model: "tiny" });
    await selfTestCommand({ ...server, checks: "S1", out: at("a/selftest.json") }, listen().context);
    expect(parsed<Provenance>("a/selftest.provenance.json").settings["server"]).toBe(origin);
  });

  test("--replace writes over a result", async () => {
    mkdirSync(at("b"), { recursive: true });
    writeFileSync(at("b/sweep.json"), "{}");
    const options = { ...sweep, folds: 4, dataset: at("cities"), out: at("b/sweep.json"), replace: true };
    await sweepCommand(options, listen().context);
    expect(parsed<LayerSweep>("b/sweep.json").folds).toBe(4);
  });
});

describe("report", () => {
  test("shows every document of the folder, and names what it skips", async () => {
    cpSync(at("cities/dataset.json"), at("a/dataset.json"));
    writeFileSync(at("a/cut.json"), '{"kind":"layer-sweep","sch');
    const { heard, context } = listen();
    await reportCommand({ run: at("a") }, context);
    expect(heard.progress.join()).toMatch(/skipped cut\.json: not whole JSON/);
    const told = heard.data as {
      report: string;
      bytes: number;
      documents: { kind: string }[];
      skipped: unknown[];
    };
    expect(told.report).toBe(at("a", "report.html"));
    const page = readFileSync(at("a", "report.html"));
    expect(told.bytes).toBe(page.byteLength);
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
    expect(page.toString()).toContain("npx residua sweep cities --label truth --folds 3 --out a/sweep.json");
  });

  test("--extract gives every document back, byte for byte", async () => {
    await reportCommand({ run: at("a"), out: at("sent.html") }, listen().context);
    const { heard, context } = listen();
    await reportCommand({ extract: at("sent.html"), out: at("back") }, context);
    const { files } = heard.data as { files: string[] };
    const there = readdirSync(at("a")).filter((name) => name.endsWith(".json") && name !== "cut.json");
    expect(files).toEqual(there.sort());
    for (const file of files) expect(readFileSync(at("back", file))).toEqual(readFileSync(at("a", file)));
  });
});

test("compare tells settings that differ and the differences of numbers of the same data", async () => {
  cpSync(at("cities/dataset.json"), at("b/dataset.json"));
  const { heard, context } = listen();
  await compareCommand({ a: at("a"), b: at("b"), out: at("comparison.html") }, context);
  const comparison = heard.data as RunComparison;
  const pair = comparison.pairs.find(({ kind }) => kind === "layer-sweep");
  // The one has provenance of a command and the other of a test: their data are the same by the dataset's content hash.
  expect(pair?.obstacles).toEqual([]);
  expect(pair?.settings.find(({ name }) => name === "folds")).toEqual({ name: "folds", a: 3, b: 4 });
  const scores = pair?.numbers.filter(({ metric }) => metric === "layers.probes.score") ?? [];
  expect(scores.length).toBe(4);
  for (const { a, b, difference } of scores) expect(difference?.value).toBe(a!.value! - b!.value!);
  expect(comparison.onlyA.map(({ kind }) => kind).sort()).toEqual(["self-test", "steering-evaluation"]);
  expect(readFileSync(at("comparison.html"), "utf8")).toContain("a against b");
  expect(heard.text).toContain("folds: 3 / 4");
});
