import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readRun } from "../../src/runs/read-run.ts";
import { sampleReport, sampleSweep } from "../report/report-sample.ts";
import { resultSamples } from "../report/result-samples.ts";
import { selfTest } from "../report/self-test-sample.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "residua-run-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const put = async (file: string, content: unknown): Promise<void> => {
  const path = join(folder, file);
  await mkdir(join(path, ".."), { recursive: true });
  await writeFile(
    path,
    typeof content === "string" || content instanceof Uint8Array ? content : JSON.stringify(content),
  );
};

describe("readRun", () => {
  it("reads results, first runs and self-tests of the folder and the folders in it, with their exact texts, in order", async () => {
    const text = `${JSON.stringify(sampleSweep(), null, 2)}\r\n`;
    await put("sweep.json", text);
    await put("result.json", sampleReport());
    await put("inner/selftest.json", selfTest());
    await put("inner/deeper/ignored.json", sampleSweep());
    await put("notes.txt", "no JSON");
    await put("journal.jsonl", "{}");
    await put(".hidden.json", "{}");
    const run = await readRun(folder);
    expect(run.documents.map(({ file, type }) => [file, type])).toEqual([
      ["inner/selftest.json", "self-test"],
      ["result.json", "first-run"],
      ["sweep.json", "result"],
    ]);
    expect(run.documents[2]?.text).toBe(text);
    expect(run.skipped).toEqual([]);
  });

  it.each([
    ["cut.json", JSON.stringify(sampleSweep()).slice(0, 400), /not whole JSON, cut or changed/],
    ["empty.json", "", /empty: the command that should have filled it failed or still runs/],
    ["list.json", "[1]", /a list, not one document/],
    ["null.json", "null", /null, not one document/],
    ["package.json", { name: "x" }, /no result: it has no field “kind”/],
    [
      "kind.json",
      { kind: "layer-swep", schemaVersion: 1 },
      /unknown kind "layer-swep"; known are layer-sweep/,
    ],
    ["number.json", { kind: 3 }, /unknown kind 3/],
    ["proto.json", { kind: "constructor" }, /unknown kind "constructor"/],
    ["old.json", { ...sampleSweep(), schemaVersion: 1 }, /a layer-sweep of schemaVersion 1; .*reads 2/],
    [
      "new.json",
      { ...resultSamples()["roc-curve"], schemaVersion: 9 },
      /a roc-curve of schemaVersion 9; .*reads 1/,
    ],
    [
      "field.json",
      { ...sampleSweep(), folds: "five" },
      /no whole layer-sweep: folds: allowed: a finite number/,
    ],
    ["probe.json", { kind: "trained-probe" }, /kept weights \(trained-probe\)/],
    ["twice.json", `{"kind":"roc-curve","kind":"direction"}`, /a key comes twice/],
    ["latin.json", Uint8Array.of(0x22, 0xe9, 0x22), /not UTF-8/],
    ["wide.json", Buffer.from("\ufeff{}", "utf16le"), /UTF-16, as PowerShell's > writes it/],
    [
      "data/dataset.json",
      { format: "residua-activation-dataset", schemaVersion: 7 },
      /schemaVersion 7; expected/,
    ],
    [
      "other/dataset.json",
      { format: "residua-activation-dataset", schemaVersion: 2 },
      /no whole dataset manifest/,
    ],
    [
      "made.provenance.json",
      { format: "residua-provenance", schemaVersion: 2 },
      /provenance of schemaVersion 2/,
    ],
    ["selftest.json", { ...selfTest(), results: 3 }, /no whole self-test: results/],
  ])("skips %s and says why", async (file, content, reason) => {
    await put("sweep.json", sampleSweep());
    await put(file, content);
    const { documents, skipped } = await readRun(folder);
    expect(documents.map((document) => document.file)).toEqual(["sweep.json"]);
    expect(skipped).toHaveLength(1);
    expect(skipped[0]?.reason).toMatch(reason);
  });

  it("takes a byte order mark, and keeps it", async () => {
    const text = `\ufeff${JSON.stringify(sampleSweep())}`;
    await put("sweep.json", text);
    expect((await readRun(folder)).documents[0]?.text).toBe(text);
  });

  it("skips links that lead nowhere, and reads no pipe or folder", async () => {
    await put("sweep.json", sampleSweep());
    await mkdir(join(folder, "folder.json"));
    await symlink(join(folder, "absent"), join(folder, "link.json"));
    const { documents, skipped } = await readRun(folder);
    expect(documents).toHaveLength(1);
    expect(skipped).toEqual([{ file: "link.json", reason: "cannot be read (ENOENT)" }]);
  });

  it("refuses a folder without a result, and names what was skipped there", async () => {
    await expect(readRun(folder)).rejects.toMatchObject({ code: "run_empty" });
    await expect(readRun(folder)).rejects.toThrow(/no JSON file in it. Write results there first/);
    await put("cut.json", "{");
    await expect(readRun(folder)).rejects.toThrow(/no result in it; skipped: cut.json \(not whole JSON/);
  });

  it("refuses what is no folder", async () => {
    await expect(readRun(join(folder, "absent"))).rejects.toMatchObject({ code: "run_unreadable" });
    await put("sweep.json", sampleSweep());
    await expect(readRun(join(folder, "sweep.json"))).rejects.toThrow(
      /no folder that can be read \(ENOTDIR\)/,
    );
    await expect(readRun("")).rejects.toThrow(/a path: a text that is not empty/);
  });

  it("puts documents that are not written yet before files of the same name", async () => {
    await put("sweep.json", "{");
    const also = [{ file: "sweep.json", text: JSON.stringify(sampleSweep()) }];
    const run = await readRun(folder, { also });
    expect(run.documents.map(({ file }) => file)).toEqual(["sweep.json"]);
    expect(run.skipped).toEqual([]);
  });
});
