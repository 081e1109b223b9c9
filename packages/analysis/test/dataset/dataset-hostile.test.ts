import { execFileSync } from "node:child_process";
import { cp, readFile, rename, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makeData, RecordBatch, RecordBatchFileWriter, Struct, tableFromIPC, type Data } from "apache-arrow";
import { expect, test } from "vitest";
import { DatasetError } from "../../src/dataset/dataset-error.ts";
import { openDataset } from "../../src/dataset/dataset-open.ts";
import { writeDataset } from "../../src/dataset/write-dataset.ts";
import type { DatasetManifest } from "../../src/dataset/dataset-manifest.ts";
import { rowDtypes } from "../../src/shards/row-dtype.ts";
import { freshFolder } from "../collect/collect-helpers.ts";
import { forge } from "./dataset-helpers.ts";
import { memorySource } from "./memory-source.ts";

const first = "shard-00000.arrow";
const derived = { how: "test", from: [] };

async function versionTwo(dtype: (typeof rowDtypes)[number] = "float16"): Promise<string> {
  const folder = await freshFolder();
  await writeDataset(folder, memorySource({ rows: 23, dtype }), { ...derived, shardRows: 9 });
  return folder;
}

async function refusal(folder: string): Promise<string> {
  const error: unknown = await openDataset(folder).then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(error).toBeInstanceOf(DatasetError);
  return (error as DatasetError).code;
}

/** Writes a shard again with some of its buffers changed. */
async function remake(folder: string, change: (child: Data, name: string) => Data): Promise<void> {
  const path = join(folder, first);
  const { schema, batches } = tableFromIPC(await readFile(path));
  const writer = new RecordBatchFileWriter();
  for (const batch of batches) {
    const children = batch.data.children.map((child, i) => change(child, schema.fields[i]!.name));
    const type = new Struct(schema.fields);
    const data = makeData({ type, length: batch.numRows, nullCount: 0, children });
    writer.write(new RecordBatch(schema, data));
  }
  writer.finish();
  await writeFile(path, await writer.toUint8Array());
  await forge(folder, () => undefined);
}

test("dataset.json: a link out of the folder, a pipe, a device, far too long, not UTF-8", async () => {
  const [folder, elsewhere] = [await versionTwo(), await freshFolder()];
  const manifest = join(folder, "dataset.json");
  await rename(manifest, join(elsewhere, "dataset.json"));
  await symlink(join(elsewhere, "dataset.json"), manifest);
  expect(await refusal(folder)).toBe("outside_folder");
  await rm(manifest);
  await symlink("/dev/zero", manifest);
  expect(await refusal(folder)).toBe("outside_folder");
  await rm(manifest);
  execFileSync("mkfifo", [manifest]);
  expect(await refusal(folder)).toBe("manifest_invalid");
  await rm(manifest);
  await writeFile(manifest, "{");
  await truncate(manifest, 2 ** 33);
  expect(await refusal(folder)).toBe("manifest_invalid");
  await writeFile(manifest, Buffer.of(0x7b, 0xff, 0x7d));
  expect(await refusal(folder)).toBe("manifest_invalid");
  await rm(manifest);
  await symlink("dataset.json", manifest);
  expect(await refusal(folder)).toBe("read_failed");
});

test("dataset.json as a link inside the folder, and a folder reached by a link, are fine", async () => {
  const [folder, elsewhere] = [await versionTwo(), await freshFolder()];
  await rename(join(folder, "dataset.json"), join(folder, "kept.json"));
  await symlink("kept.json", join(folder, "dataset.json"));
  await symlink(folder, join(elsewhere, "link"));
  expect((await openDataset(join(elsewhere, "link"))).rows).toBe(23);
});

test("a pipe or a device in a shard's place is refused, not waited for", async () => {
  const folder = await versionTwo();
  await rm(join(folder, first));
  execFileSync("mkfifo", [join(folder, first)]);
  expect(await refusal(folder)).toBe("outside_folder");
  await rm(join(folder, first));
  await symlink("/dev/zero", join(folder, first));
  expect(await refusal(folder)).toBe("outside_folder");
});

test("a pipe that takes a shard's place after opening is refused, not waited for", async () => {
  const folder = await versionTwo();
  const dataset = await openDataset(folder);
  await rm(join(folder, first));
  execFileSync("mkfifo", [join(folder, first)]);
  await expect(dataset.layer(2)).rejects.toMatchObject({
    code: "shard_corrupt",
    found: "not a regular file",
  });
});

test("a shard that is exchanged after opening is noticed, though its layout was known", async () => {
  const folder = await versionTwo();
  const dataset = await openDataset(folder);
  await dataset.layer(2);
  await cp(join(folder, "shard-00001.arrow"), join(folder, "other"));
  await rename(join(folder, "other"), join(folder, first));
  await expect(dataset.layer(2)).rejects.toMatchObject({ code: "shard_mismatch" });
});

test("a key that comes twice", async () => {
  const folder = await versionTwo();
  const path = join(folder, "dataset.json");
  const text = await readFile(path, "utf8");
  await writeFile(path, text.replace('"rows": 23', '"rows": 1, "rows": 23'));
  expect(await refusal(folder)).toBe("manifest_invalid");
});

test.each<[string, (manifest: DatasetManifest) => void]>([
  ["huge rows that agree", (m) => void ((m.rows += 2 ** 40), (m.shards[0]!.rows += 2 ** 40))],
  ["rows beyond 2^53", (m) => void (m.rows = 2 ** 53)],
  ["a fraction of a row", (m) => void (m.rows = 22.5)],
  ["a label named layer_-1", (m) => void (m.columns.find(({ name }) => name === "truth")!.name = "layer_-1")],
  ["layer -2", (m) => void (m.layers = [-2, 2])],
  ["an example column that may be null", (m) => void (m.columns[0]!.nullable = true)],
  ["no group", (m) => void (m.columns = m.columns.filter(({ name }) => name !== "group"))],
  ["an unknown type", (m) => void Object.assign(m.columns[3]!, { type: "int64" })],
  ["a number type of its own", (m) => void Object.assign(m, { dtype: "float64" })],
  ["an origin of nothing", (m) => void Object.assign(m.origin, { from: ["x"] })],
])("a manifest with %s", async (_, change) => {
  const folder = await versionTwo();
  await forge(folder, change);
  expect(await refusal(folder)).toBe("manifest_invalid");
});

test.each(rowDtypes)("a manifest that calls %s another number type", async (dtype) => {
  for (const lie of rowDtypes.filter((other) => other !== dtype)) {
    const folder = await versionTwo(dtype);
    await forge(folder, (manifest) => (manifest.dtype = lie));
    expect(["shard_corrupt", "manifest_invalid"]).toContain(await refusal(folder));
  }
});

test("layer -1 that the shards do not have", async () => {
  const folder = await versionTwo();
  await forge(folder, (manifest) => (manifest.layers = [0, 2]));
  expect(await refusal(folder)).toBe("shard_corrupt");
});

test.each<[string, number[]]>([
  ["backwards", [0, 3, 1]],
  ["below zero", [-1, 0, 0]],
  ["beyond the numbers", [0, 1, 2 ** 30]],
])("list offsets that go %s", async (_, lie) => {
  const folder = await versionTwo();
  await remake(folder, (child, name) => {
    if (name !== "token_ids") return child;
    const valueOffsets = (child.valueOffsets as Int32Array).slice();
    valueOffsets.set(lie);
    const { type, length, nullCount, nullBitmap } = child;
    return makeData({
      type,
      length,
      nullCount,
      nullBitmap,
      valueOffsets,
      child: child.children[0]!,
    } as never);
  });
  expect(await refusal(folder)).toBe("shard_corrupt");
});

test("examples that are not as many as the shard says", async () => {
  const folder = await versionTwo();
  await remake(folder, (child, name) => {
    if (name !== "example") return child;
    const { type, length } = child;
    const [valueOffsets, data] = [new Int32Array(length + 1), new Uint8Array(0)];
    return makeData({ type, length, nullCount: 0, valueOffsets, data } as never);
  });
  expect(await refusal(folder)).toBe("shard_mismatch");
});

test("values that a column cannot hold are refused, and nothing is left", async () => {
  const source = memorySource({ rows: 6, dtype: "float32" });
  for (const [name, value] of [
    ["position", 1.5],
    ["position", 2 ** 31],
    ["token_ids", [2 ** 40]],
    ["truth", "true"],
    ["example", null],
    ["score", 9007199254740993n],
    ["text", undefined],
  ] as const) {
    const folder = join(await freshFolder(), "new");
    const blocks = async function* () {
      for await (const block of source.blocks()) {
        yield { ...block, columns: new Map(block.columns).set(name, Array(block.rows).fill(value) as never) };
      }
    };
    const refused = writeDataset(folder, { ...source, blocks }, derived);
    await expect(refused, name).rejects.toMatchObject({ code: "column_invalid" });
    expect(await refusal(folder)).toBe("not_a_dataset");
  }
});
