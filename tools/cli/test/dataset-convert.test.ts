import { writeParquet, openDataset, importRows } from "@residua/analysis";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { convertDataset, parseMap, type ConvertOptions } from "../src/dataset-convert.ts";
import { UsageError } from "../src/usage-error.ts";

const fixture = join(import.meta.dirname, "../../../packages/analysis/fixtures/dataset-pyarrow");

async function scratch(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "residua-convert-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function convert(options: ConvertOptions): Promise<Record<string, unknown>> {
  let printed: unknown;
  const output = {
    json: true,
    progress: () => undefined,
    count: () => undefined,
    result: (data: unknown) => void (printed = data),
  };
  await convertDataset(options, { output, signal: new AbortController().signal });
  return printed as Record<string, unknown>;
}

test.each(["parquet", "arrow", "safetensors", "npy"] as const)(
  "a dataset goes through %s and back, compared row by row",
  async (to) => {
    const folder = await scratch();
    const out = join(folder, `rows.${to}`);
    const there = await convert({ source: fixture, to, out, verify: true });
    expect(there).toMatchObject({ rows: 5, layers: [1, 4], dtype: "bfloat16" });
    const back = await convert({ source: out, to: "dataset", out: join(folder, "back"), verify: true });
    expect(back["rowsHash"]).toBe(there["rowsHash"]);
    const { manifest } = await openDataset(join(folder, "back"));
    const original = await openDataset(fixture);
    expect(manifest).toMatchObject({
      model: "m",
      checkpoint: "served/m",
      selection: original.manifest.selection,
      columns: original.manifest.columns,
    });
    await expect(convert({ source: fixture, to, out })).rejects.toMatchObject({ code: "file_exists" });
  },
);

test("a map says what the columns of a foreign file are", async () => {
  expect(parseMap("example=id, label=a,label=b,layer_16=emb,layer_-1=e,leave_out=x")).toEqual({
    example: "id",
    labels: ["a", "b"],
    layers: { 16: "emb", [-1]: "e" },
    leaveOut: ["x"],
  });
  for (const wrong of ["id", "exmple=id", "=x", "label=", "layer_a=x"])
    expect(() => parseMap(wrong)).toThrow(UsageError);
  const folder = await scratch();
  await writeParquet(await openDataset(fixture), join(folder, "a.parquet"));
  const map = "example=topic,layer_7=layer_4,leave_out=layer_1,leave_out=example";
  await convert({ source: join(folder, "a.parquet"), to: "dataset", out: join(folder, "d"), map });
  const dataset = await openDataset(join(folder, "d"));
  expect(dataset.layers).toEqual([7]);
  expect(await dataset.column("example")).toEqual(["x", "x", "ñ𝄞", "ñ𝄞", ""]);
});

test("options that do not fit are refused before anything is written", async () => {
  const folder = await scratch();
  const out = join(folder, "x");
  await expect(convert({ source: fixture, to: "dataset", out })).rejects.toThrow(/is a dataset already/);
  await expect(convert({ source: fixture, to: "npy", out, dtype: "float32" })).rejects.toThrow(
    /--dtype is for files/,
  );
  await expect(convert({ source: join(folder, "none.parquet"), to: "dataset", out })).rejects.toMatchObject({
    code: "read_failed",
  });
  await expect(importRows(out)).rejects.toMatchObject({ code: "read_failed" });
});
