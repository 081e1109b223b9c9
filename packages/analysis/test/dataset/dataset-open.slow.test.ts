import fc from "fast-check";
import { cp, mkdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { DatasetError } from "../../src/dataset/dataset-error.ts";
import { openDataset } from "../../src/dataset/dataset-open.ts";
import { freshFolder } from "../collect/collect-helpers.ts";
import { moveBatches } from "./move-batches.ts";
import { copyOf, forge, readJson, shardNames, wholeDataset } from "./dataset-helpers.ts";

const [first, second] = shardNames as [string, string, string];

async function refusal(folder: string): Promise<DatasetError> {
  const outcome = await openDataset(folder).then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(outcome).toBeInstanceOf(DatasetError);
  const error = outcome as DatasetError;
  expect(error.path.startsWith(folder)).toBe(true);
  for (const part of [error.found, error.expected, error.advice]) expect(error.message).toContain(part);
  return error;
}

describe("a dataset made by pyarrow", () => {
  const folder = join(import.meta.dirname, "../../fixtures/dataset-pyarrow");

  test("is read whole and exactly", async () => {
    const expected = JSON.parse(await readFile(join(folder, "expected.json"), "utf8")) as {
      columns: Record<string, unknown[]>;
      bits: Record<string, number[]>;
      values: Record<string, (number | null)[]>;
    };
    const dataset = await openDataset(folder);
    expect(dataset.columns).toEqual(Object.keys(expected.columns));
    for (const [name, values] of Object.entries(expected.columns))
      expect(await dataset.column(name)).toEqual(values);
    for (const layer of dataset.layers) {
      expect(Array.from(await dataset.layerBits(layer))).toEqual(expected.bits[layer]);
      const values = Array.from(await dataset.layer(layer), (value) => (Number.isNaN(value) ? null : value));
      expect(values).toEqual(expected.values[layer]);
    }
  });
});

describe("reading", () => {
  test("a layer or a column that is not there is named, with those that are", async () => {
    const dataset = await openDataset(await wholeDataset());
    await expect(dataset.layer(1)).rejects.toMatchObject({
      code: "no_such_layer",
      expected: expect.stringContaining("0, 2") as unknown,
    });
    await expect(dataset.column("layer_0")).rejects.toMatchObject({ code: "no_such_column" });
    await expect(dataset.column("truht")).rejects.toThrow(/truth/);
  });

  test("reads only what was asked: the other layers' bytes may be gone", async () => {
    const folder = await wholeDataset();
    const dataset = await openDataset(folder);
    const [before, labels] = [await dataset.layerBits(2), await dataset.column("truth")];
    const bytes = await readFile(join(folder, first));
    const zero = Buffer.from(new Uint8Array((await dataset.layerBits(0)).slice(0, 8).buffer));
    const at = bytes.indexOf(zero);
    expect(at).toBeGreaterThan(0);
    bytes.fill(0, at, at + zero.length);
    await writeFile(join(folder, first), bytes);
    expect(await dataset.layerBits(2)).toEqual(before);
    expect(await dataset.column("truth")).toEqual(labels);
    await expect(dataset.validate()).rejects.toMatchObject({
      code: "shard_checksum",
      path: join(folder, first),
    });
  });

  test.each([5 * 2 ** 30, 1, 2, 3, 4, 5, 6, 7])(
    "J7, J9: a shard whose data lies %i bytes further on, beyond 4 GiB or at no multiple of 8",
    async (distance) => {
      const folder = await wholeDataset();
      const before = await openDataset(folder);
      const [bits, examples] = [await before.layerBits(2), await before.column("example")];
      await forge(folder, () => undefined);
      const { bytes } = await moveBatches(join(folder, second), distance);
      const manifest = await readJson(folder);
      // As if it were large: a checksum of the hole would take long.
      manifest.shards[1]!.bytes = bytes;
      if (distance < 8) await forge(folder, () => undefined);
      else await writeFile(join(folder, "dataset.json"), JSON.stringify(manifest));
      const dataset = await openDataset(folder);
      expect(await dataset.layerBits(2)).toEqual(bits);
      expect(await dataset.column("example")).toEqual(examples);
    },
  );
});

describe("hostile folders", () => {
  test("nothing there, a file, an empty folder, no JSON, another JSON", async () => {
    const folder = await freshFolder();
    expect((await refusal(join(folder, "none"))).code).toBe("not_a_dataset");
    expect((await refusal(folder)).code).toBe("not_a_dataset");
    await writeFile(join(folder, "file"), "x");
    expect((await refusal(join(folder, "file"))).code).toBe("not_a_dataset");
    await writeFile(join(folder, "dataset.json"), "{");
    expect((await refusal(folder)).code).toBe("manifest_invalid");
    for (const json of ["null", "[]", "{}", '{"schemaVersion":1}']) {
      await writeFile(join(folder, "dataset.json"), json);
      expect((await refusal(folder)).code).toBe("manifest_invalid");
    }
    await rm(join(folder, "dataset.json"));
    await mkdir(join(folder, "dataset.json"));
    expect((await refusal(folder)).code).toBe("not_a_dataset");
  });

  test.each([3, 0, "1", null])("schemaVersion %j", async (version) => {
    const folder = await wholeDataset();
    await forge(
      folder,
      (manifest) => Object.assign(manifest, { schemaVersion: version, shards: "other form" }),
      {
        reseal: false,
      },
    );
    const error = await refusal(folder);
    expect(error.code).toBe("schema_version_unknown");
    expect(error.message).toContain("expected schemaVersion 1 or 2");
  });

  test("a missing shard, a shard cut at any length, a longer one", async () => {
    const folder = await wholeDataset();
    const whole = await readFile(join(folder, second));
    for (const length of [0, 1, 8, whole.length >> 1, whole.length - 1]) {
      await writeFile(join(folder, second), whole.subarray(0, length));
      const error = await refusal(folder);
      expect(error).toMatchObject({ code: "shard_size", path: join(folder, second) });
      expect(error.message).toContain(`${length} bytes`);
    }
    await writeFile(join(folder, second), Buffer.concat([whole, Buffer.of(0)]));
    expect((await refusal(folder)).code).toBe("shard_size");
    await rm(join(folder, second));
    expect(await refusal(folder)).toMatchObject({ code: "shard_missing", path: join(folder, second) });
  });

  test("one flipped bit", async () => {
    const folder = await wholeDataset();
    const bytes = await readFile(join(folder, second));
    bytes[bytes.length >> 1]! ^= 1;
    await writeFile(join(folder, second), bytes);
    expect((await refusal(folder)).code).toBe("shard_checksum");
  });

  test("swapped shards, also when the manifest is made to agree", async () => {
    const folder = await wholeDataset();
    await rename(join(folder, first), join(folder, "x"));
    await rename(join(folder, second), join(folder, first));
    await rename(join(folder, "x"), join(folder, second));
    expect(["shard_size", "shard_checksum"]).toContain((await refusal(folder)).code);
    await forge(folder, () => undefined);
    const error = await refusal(folder);
    expect(error.code).toBe("shard_mismatch");
    expect(error.message).toMatch(/shard 1.*expected shard 0/);
  });

  test("a shard of another dataset with the same columns", async () => {
    const folder = await wholeDataset();
    await forge(folder, ({ origin }) => {
      if (origin.kind === "collected") origin.plan.examplesHash = "0".repeat(64);
    });
    expect(await refusal(folder)).toMatchObject({
      code: "shard_mismatch",
      found: expect.stringContaining("plan") as unknown,
    });
  });

  test.each<[string, Parameters<typeof forge>[1]]>([
    ["rows", (manifest) => manifest.rows++],
    ["examples", (manifest) => manifest.examples--],
    ["width, more than the shards have bytes for", (manifest) => (manifest.hiddenSize = 2 ** 40)],
    ["order of layers", (manifest) => manifest.layers.reverse()],
    ["a shard twice", (manifest) => (manifest.shards[1]!.file = first)],
    ["a path", (manifest) => (manifest.shards[1]!.file = "../other.arrow")],
    ["an absolute path", (manifest) => (manifest.shards[1]!.file = "/dev/zero")],
    ["no shard", (manifest) => (manifest.shards = [])],
    ["another layer convention", (manifest) => Object.assign(manifest, { layerConvention: "layer inputs" })],
    [
      "a label named as a layer",
      (manifest) => (manifest.columns.find(({ name }) => name === "truth")!.name = "layer_0"),
    ],
  ])("a manifest with wrong %s", async (_, change) => {
    const folder = await wholeDataset();
    await forge(folder, change);
    expect((await refusal(folder)).code).toBe("manifest_invalid");
  });

  test("lying counts that agree among themselves", async () => {
    const folder = await wholeDataset();
    await forge(folder, (manifest) => {
      manifest.shards[0]!.rows++;
      manifest.shards[1]!.rows--;
    });
    expect((await refusal(folder)).code).toBe("shard_mismatch");
  });

  test.each<[string, Parameters<typeof forge>[1]]>([
    ["width", (manifest) => (manifest.hiddenSize = 7)],
    ["layers", (manifest) => (manifest.layers = [0, 1])],
    ["label type", (manifest) => (manifest.columns.find(({ name }) => name === "truth")!.type = "utf8")],
    ["number type", (manifest) => (manifest.dtype = "float16")],
    ["label", (manifest) => (manifest.columns = manifest.columns.filter(({ name }) => name !== "truth"))],
  ])("a manifest that lies about the %s", async (_, change) => {
    const folder = await wholeDataset();
    await forge(folder, change);
    expect((await refusal(folder)).code).toBe("shard_corrupt");
  });

  test("links out of the folder, to nothing, in circles; a folder in a shard's place", async () => {
    const [folder, elsewhere] = [await wholeDataset(), await freshFolder()];
    await cp(join(folder, first), join(elsewhere, first));
    await rm(join(folder, first));
    await symlink(join(elsewhere, first), join(folder, first));
    expect(await refusal(folder)).toMatchObject({ code: "outside_folder", path: join(folder, first) });
    await rm(join(elsewhere, first));
    expect((await refusal(folder)).code).toBe("shard_missing");
    await rm(join(folder, first));
    await symlink(first, join(folder, first));
    expect((await refusal(folder)).code).toBe("read_failed");
    await rm(join(folder, first));
    await mkdir(join(folder, first));
    expect((await refusal(folder)).code).toBe("outside_folder");
  });

  test("a folder that is itself reached by a link is fine", async () => {
    const [folder, elsewhere] = [await wholeDataset(), await freshFolder()];
    await symlink(folder, join(elsewhere, "link"));
    expect((await openDataset(join(elsewhere, "link"))).rows).toBe(24);
  });

  test("any damage whose checksums were made to agree: whole rows or one DatasetError", async () => {
    const original = await wholeDataset();
    const folder = await copyOf(original);
    const whole = await readFile(join(original, second));
    const damage = fc.oneof(
      fc.record({ at: fc.nat(whole.length - 1), value: fc.nat(255) }),
      // The footer, where the offsets are.
      fc.record({ at: fc.integer({ min: whole.length - 1200, max: whole.length - 1 }), value: fc.nat(255) }),
      fc.record({ cut: fc.nat(whole.length) }),
    );
    await fc.assert(
      fc.asyncProperty(damage, async (change) => {
        const bytes = Buffer.from("cut" in change ? whole.subarray(0, change.cut) : whole);
        if ("at" in change) bytes[change.at] = change.value;
        if (bytes.length === 0) return;
        await writeFile(join(folder, second), bytes);
        await forge(folder, () => undefined);
        try {
          const dataset = await openDataset(folder);
          expect(await dataset.readRows()).toHaveLength(24);
          for (const layer of dataset.layers) expect(await dataset.layer(layer)).toHaveLength(24 * 8);
        } catch (error) {
          if (!(error instanceof DatasetError)) throw error;
        }
      }),
      { numRuns: 250 },
    );
  });
});
