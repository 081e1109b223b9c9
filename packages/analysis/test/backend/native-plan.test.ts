import { mkdir, mkdtemp, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { nativeFolder } from "../../src/backend/native-place.ts";
import { planNative } from "../../src/backend/native-plan.ts";
import { nativeFiles } from "../../src/backend/native-recipe.ts";
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
    await writeFile(join(downloads, first!.file), "");
    await truncate(join(downloads, first!.file), first!.bytes);
    expect(planNative({ cache }).fetchBytes).toBe(all - first!.bytes);
    const { steps } = planNative({ cache, from: "wheels" });
    expect(steps[1]!.command).toBe(`cp wheels/${others[0]!.file} ${downloads}`);
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
