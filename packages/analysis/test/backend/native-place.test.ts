import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  cacheFolder,
  damagedNatives,
  installedNatives,
  nativeFolder,
} from "../../src/backend/native-place.ts";

let cache: string;
beforeAll(async () => void (cache = await mkdtemp(join(tmpdir(), "residua-place-"))));
afterAll(() => rm(cache, { recursive: true, force: true }));

test.each([
  [{ RESIDUA_CACHE: "/a/b", XDG_CACHE_HOME: "/c" }, "/a/b"],
  [{ XDG_CACHE_HOME: "/c" }, "/c/residua"],
  [{ XDG_CACHE_HOME: "c" }, join(homedir(), ".cache/residua")],
  [{ RESIDUA_CACHE: "", XDG_CACHE_HOME: "" }, join(homedir(), ".cache/residua")],
])("%j: the cache folder is %s", (env, expected) => {
  expect(cacheFolder(env)).toBe(expected);
});

describe("installedNatives", () => {
  const manifest = {
    schemaVersion: 1,
    tfjs: "4.22.0",
    tensorflow: "2.15.1",
    installed: "2026-01-01T00:00:00.000Z",
    bytes: 7,
  };
  const write = async (variant: "cpu" | "cuda", text: string) => {
    const folder = nativeFolder(variant, cache);
    await mkdir(join(folder, "lib"), { recursive: true });
    await writeFile(join(folder, "lib", "library"), "1234567");
    await writeFile(join(folder, "native.json"), text);
  };

  test("finds nothing where there is nothing, or something without a whole manifest", async () => {
    expect(installedNatives(join(cache, "absent"))).toEqual([]);
    await mkdir(nativeFolder("cpu", cache), { recursive: true });
    expect(installedNatives(cache)).toEqual([]);
    await write("cpu", '{"schemaVersion":1,');
    expect(installedNatives(cache)).toEqual([]);
    await write("cpu", JSON.stringify({ ...manifest, variant: "cpu", schemaVersion: 2 }));
    expect(installedNatives(cache)).toEqual([]);
  });

  test("a torn file or manifest is damage, and no installation", async () => {
    await write("cpu", JSON.stringify({ ...manifest, variant: "cpu", bytes: 8 }));
    await write("cuda", "");
    expect(installedNatives(cache)).toEqual([]);
    expect(damagedNatives(cache)).toEqual([
      {
        variant: "cuda",
        folder: nativeFolder("cuda", cache),
        damage: "its native.json is missing or damaged",
      },
      { variant: "cpu", folder: nativeFolder("cpu", cache), damage: "its files have 7 bytes in place of 8" },
    ]);
  });

  test("puts CUDA first", async () => {
    for (const variant of ["cpu", "cuda"] as const)
      await write(variant, JSON.stringify({ ...manifest, variant }));
    expect(installedNatives(cache).map(({ variant }) => variant)).toEqual(["cuda", "cpu"]);
  });
});
