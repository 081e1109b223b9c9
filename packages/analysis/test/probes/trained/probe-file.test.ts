import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { differenceOfMeans } from "../../../src/probes/difference-of-means.ts";
import { logistic } from "../../../src/probes/logistic/logistic.ts";
import { loadProbe, saveProbe } from "../../../src/probes/trained/probe-file.ts";
import { probeFromJSON } from "../../../src/probes/trained/probe-json.ts";
import { trainProbe } from "../../../src/probes/trained/train-probe.ts";
import { plantedRows } from "./planted-rows.ts";

const folder = await mkdtemp(join(tmpdir(), "residua-probe-"));
afterAll(() => rm(folder, { recursive: true }));
const rows = plantedRows({ rows: 40 });
const path = join(folder, "probe.json");

test.each([logistic(), differenceOfMeans()])(
  "scores are the same bits after save and load (P6): $name",
  async (probe) => {
    const trained = await trainProbe(rows, { probe, layer: 3, label: "truth" });
    await saveProbe(path, trained);
    const loaded = await loadProbe(path);
    expect(new Uint8Array(loaded.score(rows.values).buffer)).toEqual(
      new Uint8Array(trained.score(rows.values).buffer),
    );
    expect(loaded.toJSON()).toEqual(trained.toJSON());
    expect(loaded.direction()).toEqual(trained.direction());
    expect(await readdir(folder)).toEqual(["probe.json"]);
  },
);

test("a document survives JSON unchanged", async () => {
  const json = (await trainProbe(rows, { probe: logistic() })).toJSON();
  expect(JSON.parse(JSON.stringify(json))).toEqual(json);
  expect(probeFromJSON(JSON.parse(JSON.stringify(json))).toJSON()).toEqual(json);
});

test("a cut, changed, foreign or missing file is refused by name", async () => {
  await saveProbe(path, await trainProbe(rows, { probe: logistic() }));
  const whole = await readFile(path, "utf8");
  const refusal = async (text: string | Uint8Array, words: RegExp) => {
    await writeFile(path, text);
    const loading = loadProbe(path);
    await expect(loading).rejects.toMatchObject({
      code: "bad_probe",
      message: expect.stringContaining(path) as string,
    });
    await expect(loading).rejects.toThrow(words);
  };
  await refusal(whole.slice(0, whole.length >> 1), /not whole JSON/);
  await refusal(whole.replace(/"bias":\[-?\d/, '"bias":[9'), /SHA-256 differs/);
  await refusal(whole.replace('"positive":true', '"positive":false'), /SHA-256 differs/);
  await refusal('{"kind":"direction"}', /no trained probe/);
  await refusal(whole.replace("{", '{"kind":"direction",'), /comes twice/);
  await refusal(Uint8Array.of(0xff, 0xfe), /not UTF-8/);
  await expect(loadProbe(folder)).rejects.toThrow(folder);
  await expect(loadProbe(join(folder, "none.json"))).rejects.toMatchObject({ code: "read_failed" });
  await expect(loadProbe("")).rejects.toMatchObject({ code: "invalid_request" });
});

test("saving what is no trained probe leaves the good file as it is", async () => {
  const trained = await trainProbe(rows, { probe: logistic() });
  await saveProbe(path, trained);
  const before = await readFile(path, "utf8");
  const refused = (given: unknown) => expect(saveProbe(path, given as never)).rejects;
  await refused(trainProbe(rows, { probe: logistic() })).toThrow(/a promise: await it/);
  await refused(undefined).toMatchObject({ code: "invalid_request" });
  await refused(null).toThrow(/trained probe.*null/s);
  await refused({}).toMatchObject({ code: "invalid_request" });
  await refused({ toJSON: () => ({ ...trained.toJSON(), C: 3 }) }).toMatchObject({ code: "bad_probe" });
  await expect(saveProbe("", trained)).rejects.toMatchObject({ code: "invalid_request" });
  expect(await readFile(path, "utf8")).toBe(before);
});

test("what a probe shows of itself cannot be changed, inside either", async () => {
  const trained = await trainProbe(rows, { probe: logistic() });
  const threshold = { value: 1.5, targetRate: 0.1, achievedRate: 0.1, n: 10, falsePositives: 1, pool: null };
  const probe = trained.withThreshold(threshold);
  expect(() => Object.assign(probe.threshold!, { value: 9 })).toThrow(TypeError);
  expect(() => Object.assign(probe.training.counts, [9])).toThrow(TypeError);
  threshold.value = 9;
  await saveProbe(path, probe);
  expect((await loadProbe(path)).threshold).toMatchObject({ value: 1.5 });
  const three = await trainProbe(
    { ...rows, labels: rows.labels.map((_, row) => row % 3) },
    { probe: differenceOfMeans() },
  );
  expect(() => (three.classes as number[]).reverse()).toThrow(TypeError);
});

test("numbers that overflow in training are no probe", async () => {
  const values = rows.values.map((value) => value * 1e19);
  await expect(trainProbe({ ...rows, values }, { probe: differenceOfMeans() })).rejects.toMatchObject({
    code: "not_finite",
    message: expect.stringMatching(/difference-of-means came out with scorer.bias.*NaN/) as string,
  });
});

test("a sealed document whose parts do not fit together is refused", async () => {
  const json = (await trainProbe(rows, { probe: logistic() })).toJSON();
  expect(() => probeFromJSON({ ...json, width: 4 })).toThrow(/SHA-256|weights of/);
  expect(() => probeFromJSON(undefined)).toThrow(/no trained probe/);
});

test("rows of another width, or that are not finite, are not scored", async () => {
  const probe = await trainProbe(rows, { probe: logistic() });
  expect(() => probe.score(new Float32Array(7))).toThrow(/whole rows of its width 5/);
  expect(() => probe.score(new Float32Array(0))).toThrow(/whole rows/);
  expect(() => probe.score([1, 2, 3, 4, 5] as never)).toThrow(/no Float32Array/);
  expect(() => probe.score(new Float32Array(10).fill(1).fill(Infinity, 7, 8))).toThrow(
    /Row 1, feature 2 is Infinity/,
  );
});
