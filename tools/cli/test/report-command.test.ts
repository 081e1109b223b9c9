import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { compareCommand } from "../src/compare.ts";
import { explainFailure } from "../src/failure.ts";
import { createOutput } from "../src/output.ts";
import { reportCommand } from "../src/report.ts";
import { commandLine, resultFile } from "../src/result-file.ts";

const scratch = mkdtempSync(join(tmpdir(), "residua-report-command-"));
const at = (...parts: string[]): string => join(scratch, ...parts);
const context = { output: createOutput({ quiet: true }), signal: new AbortController().signal };

const direction = {
  schemaVersion: 1,
  kind: "direction",
  layer: 3,
  vector: [1, 0],
  norm: 1,
  method: "difference of means",
  n: { positive: 4, negative: 4 },
  source: { label: "truth", positive: true },
};

beforeAll(() => {
  for (const folder of ["empty", "run", "cut"]) mkdirSync(at(folder));
  writeFileSync(at("run", "direction.json"), JSON.stringify(direction));
  writeFileSync(at("cut", "sweep.json"), '{"kind":"layer-sw');
  writeFileSync(at("page.html"), "<p>hello");
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const failure = async (work: Promise<unknown>): Promise<{ message: string; exitCode: number }> =>
  work.then(
    () => ({ message: "", exitCode: 0 }),
    (error: unknown) => explainFailure(error),
  );

describe("what residua report and compare refuse, with exit code 2 and a way out", () => {
  test.each([
    [{}, /run: nothing given; name the folder of a run/],
    [{ run: at("absent") }, /absent: no folder that can be read \(ENOENT\)/],
    [{ run: at("empty") }, /empty: no JSON file in it\. Write results there first/],
    [{ run: at("cut") }, /no result in it; skipped: sweep\.json \(not whole JSON, cut or changed/],
    [{ run: at("run"), extract: at("page.html") }, /give a report or a run folder, not both/],
    [{ extract: at("page.html") }, /--out: nothing given; name a new folder/],
    [{ extract: at("page.html"), out: at("new") }, /page\.html: no report with data in it/],
    [{ extract: at("absent.html"), out: at("new") }, /absent\.html cannot be read \(ENOENT\)/],
  ])("report %j", async (options, message) => {
    expect(await failure(reportCommand(options, context))).toEqual({
      message: expect.stringMatching(message) as string,
      exitCode: 2,
    });
  });

  test("a folder that is not empty is not extracted into", async () => {
    await reportCommand({ run: at("run"), out: at("sent.html") }, context);
    const options = { extract: at("sent.html"), out: at("run") };
    expect(await failure(reportCommand(options, context))).toEqual({
      message: expect.stringMatching(/--out: .*run is not empty; name a new folder/) as string,
      exitCode: 2,
    });
    await reportCommand({ extract: at("sent.html"), out: at("back") }, context);
    expect(readFileSync(at("back", "direction.json"))).toEqual(readFileSync(at("run", "direction.json")));
  });

  test("a file that is no page is not written over", async () => {
    const out = at("run", "direction.json");
    const works = [
      reportCommand({ run: at("run"), out }, context),
      compareCommand({ a: at("run"), b: at("run"), out }, context),
    ];
    for (const work of works) {
      expect(await failure(work)).toEqual({
        message: expect.stringMatching(
          /--out: .*direction\.json is there and is no page; name another/,
        ) as string,
        exitCode: 2,
      });
    }
    expect(JSON.parse(readFileSync(out, "utf8"))).toEqual(direction);
  });

  test("runs of other kinds are not compared", async () => {
    mkdirSync(at("other"));
    writeFileSync(
      at("other", "cost.json"),
      JSON.stringify({
        schemaVersion: 1,
        kind: "capture-cost",
        hiddenSize: 2,
        limit: 4,
        plans: [{ name: "one", layers: 1, positions: 2, numbers: 4, fits: true, wouldFit: null }],
      }),
    );
    expect(await failure(compareCommand({ a: at("run"), b: at("other") }, context))).toEqual({
      message: expect.stringMatching(
        /nothing of the same kind in both: the first holds direction, the second capture-cost/,
      ) as string,
      exitCode: 2,
    });
  });
});

describe("--out of a result", () => {
  test.each([
    ["run/x.txt", /give a file that ends in \.json/],
    ["run/.json", /give a file that ends in \.json/],
    ["run/x.provenance.json", /give a file that ends in \.json/],
    ["run/direction.json", /direction\.json is there already; name another file, or add --replace/],
  ])("%s is refused before any work is done", async (out, message) => {
    expect(await failure(resultFile({ out: at(out) }, context))).toEqual({
      message: expect.stringMatching(message) as string,
      exitCode: 2,
    });
  });

  test("without --out nothing is written", async () => {
    const write = await resultFile({}, context);
    await expect(write({}, {})).resolves.toBeUndefined();
  });

  test("the command is written as a shell takes it", () => {
    expect(commandLine(["steer", "a b", "--choices", " it's, $x", "--scales=-1,0"])).toBe(
      `npx residua steer 'a b' --choices ' it'\\''s, $x' --scales=-1,0`,
    );
  });
});
