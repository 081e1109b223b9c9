import { mkdir, mkdtemp, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { installNative } from "../../src/backend/native-install.ts";
import { nativeFolder } from "../../src/backend/native-place.ts";
import { planNative } from "../../src/backend/native-plan.ts";
import { type NativeVariant, nativeFiles } from "../../src/backend/native-recipe.ts";
import { requireTools } from "../../src/backend/native-tools.ts";

test.each(["cpu", "cuda"] as const)("every file of the %s variant is pinned", (variant) => {
  const files = nativeFiles(variant);
  expect(new Set(files.map(({ file }) => file)).size).toBe(files.length);
  for (const { requirement, file, bytes, sha256, to, members } of files) {
    expect(requirement).toMatch(/^[@a-z0-9/-]+(==|@)\d+(\.\d+)+$/);
    const version = requirement.split(/==|@/).at(-1)!;
    expect(file).toContain(`-${version}`);
    expect(bytes).toBeGreaterThan(10_000);
    expect(sha256).toMatch(/^[0-9a-f]{64}$/);
    expect(to === undefined).toBe(members !== undefined);
  }
});

test("a plan counts what is to be fetched, without what is there", async () => {
  const cache = await mkdtemp(join(tmpdir(), "residua-plan-"));
  const [first, ...others] = nativeFiles("cpu");
  const downloads = join(dirname(nativeFolder("cpu", cache)), "downloads");
  const all = [first!, ...others].reduce((sum, { bytes }) => sum + bytes, 0);
  try {
    expect(planNative({ cache })).toMatchObject({ installed: false, fetchBytes: all });
    await mkdir(downloads, { recursive: true });
    await emptyFile(join(downloads, first!.file), first!.bytes);
    expect(planNative({ cache }).fetchBytes).toBe(all - first!.bytes);
    const from = join(cache, "wheels");
    await mkdir(from);
    for (const { file, bytes } of others) await emptyFile(join(from, file), bytes);
    // The first is there already, and the folder need not have it.
    const { steps } = planNative({ cache, from });
    expect(steps[1]!.command).toBe(`cp ${from}/${others[0]!.file} ${downloads}`);
  } finally {
    await rm(cache, { recursive: true, force: true });
  }
});

/** A sparse file of that size. */
async function emptyFile(path: string, bytes: number): Promise<void> {
  await writeFile(path, "");
  await truncate(path, bytes);
}

test("a folder to take from that is none, or lacks files, or has others, is refused with all that is wrong", async () => {
  const cache = await mkdtemp(join(tmpdir(), "residua-from-"));
  const from = join(cache, "wheels");
  const refused = async (given: string, code: string, words: RegExp, variant: NativeVariant = "cpu") => {
    const options = { cache, from: given, variant };
    const message = expect.stringMatching(words) as string;
    for (const run of [() => planNative(options), () => installNative(options)])
      await expect(Promise.resolve().then<unknown>(run)).rejects.toMatchObject({ code, message });
  };
  try {
    await refused(
      from,
      "backend_file_missing",
      /wheels does not exist: give a folder that holds tensorflow-tfjs/,
    );
    await mkdir(from);
    await refused(
      from,
      "backend_file_missing",
      /wheels lacks 4 of 4 files: put tensorflow-tfjs.*tensorflow_cpu-2/,
    );
    await refused(from, "backend_file_missing", /lacks 16 of 16 files: .* and 11 more into it/, "cuda");
    const files = nativeFiles("cpu");
    for (const { file, bytes } of files) await emptyFile(join(from, file), bytes);
    await refused(join(from, files[0]!.file), "backend_file_missing", /\.tgz is a file and no folder/);
    await truncate(join(from, files[3]!.file), 9);
    await refused(from, "backend_checksum", /tensorflow_cpu-.* has 9 bytes in place of 207208420/);
    await rm(join(from, files[3]!.file));
    await mkdir(join(from, files[3]!.file));
    await refused(from, "backend_file_missing", /lacks 1 of 4 files: put tensorflow_cpu/);
  } finally {
    await rm(cache, { recursive: true, force: true });
  }
});

test("tools that are missing are named together", async () => {
  const { PYTHON, CXX } = process.env;
  Object.assign(process.env, { PYTHON: "no-python-here", CXX: "no-compiler-here" });
  try {
    const run = requireTools(["python3", "pip", "g++"]);
    await expect(run).rejects.toMatchObject({
      code: "backend_tool_missing",
      data: {
        missing: ["python3", "pip", "g++"].map(
          (tool) => expect.objectContaining({ tool, found: "not found" }) as unknown,
        ),
      },
    });
  } finally {
    for (const [name, value] of Object.entries({ PYTHON, CXX })) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
});
