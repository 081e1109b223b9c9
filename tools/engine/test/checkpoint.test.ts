import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openCheckpoint, type Checkpoint } from "../src/checkpoint.ts";
import { oddModel, tinyModel } from "./support.ts";

let scratch: string;
let odd: Checkpoint;
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), "residua-checkpoint-"));
  odd = await openCheckpoint(oddModel);
});
afterAll(async () => {
  await odd.close();
  await rm(scratch, { recursive: true });
});

test("shards read as one set of tensors, checked against the shape asked for", async () => {
  expect((await odd.floats("lm_head.weight", [70, 42])).length).toBe(70 * 42);
  expect((await odd.floats("model.embed_tokens.weight", [70, 42])).length).toBe(70 * 42);
  await expect(odd.floats("model.embed_tokens.weight", [42, 70])).rejects.toThrow(
    "has shape [70, 42] where config.json asks for [42, 70]",
  );
  await expect(odd.floats("model.nothing", [1])).rejects.toMatchObject({ code: "weights_invalid" });
});

describe("an index", () => {
  const withIndex = async (name: string, index: string) => {
    const folder = join(scratch, name);
    await cp(oddModel, folder, { recursive: true });
    await writeFile(join(folder, "model.safetensors.index.json"), index);
    return openCheckpoint(folder);
  };

  test.each([
    ["up", "../model.safetensors"],
    ["absolute", "/etc/model.safetensors"],
    ["below", "a/model.safetensors"],
    ["other", "config.json"],
    ["dots", "..safetensors"],
  ])("%s: a file name that leaves the folder or is no shard is refused", async (name, file) => {
    const opened = withIndex(name, JSON.stringify({ weight_map: { "model.norm.weight": file } }));
    await expect(opened).rejects.toThrow("is no file of the folder");
  });

  test.each([
    ["text", "{"],
    ["shape", '{"weight_map":[]}'],
    ["missing", '{"weight_map":{"a":"model-9.safetensors"}}'],
  ])("%s: an index that cannot be followed is refused", async (name, index) => {
    await expect(withIndex(name, index)).rejects.toMatchObject({ code: "weights_invalid" });
  });
});

test("a type that holds no real numbers is refused", async () => {
  const folder = join(scratch, "integers");
  await cp(tinyModel, folder, { recursive: true });
  const path = join(folder, "model.safetensors");
  const bytes = await readFile(path);
  const header = bytes.readUInt32LE(0);
  const text = bytes.toString("latin1", 8, 8 + header).replaceAll('"F32"', '"I32"');
  await writeFile(
    path,
    Buffer.concat([bytes.subarray(0, 8), Buffer.from(text, "latin1"), bytes.subarray(8 + header)]),
  );
  const checkpoint = await openCheckpoint(folder);
  await expect(checkpoint.floats("model.norm.weight", [96])).rejects.toThrow(
    "is I32; only F32, F16 and BF16 are read",
  );
  await checkpoint.close();
});
