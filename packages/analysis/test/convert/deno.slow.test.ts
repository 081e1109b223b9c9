import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { freshFolder } from "../collect/collect-helpers.ts";

test("Deno writes and reads Parquet, and goes on after a panic of the module", async () => {
  const deno = join(dirname(createRequire(import.meta.url).resolve("deno/package.json")), "bin.cjs");
  const script = join(import.meta.dirname, "deno-convert.ts");
  const fixture = join(import.meta.dirname, "../../fixtures/dataset-pyarrow");
  const run = spawnSync(
    process.execPath,
    [
      deno,
      "run",
      "--allow-all",
      "--no-lock",
      "--conditions=@residua/source",
      script,
      fixture,
      await freshFolder(),
    ],
    { encoding: "utf8", cwd: join(import.meta.dirname, "../../../..") },
  );
  expect(run.stdout, run.stderr).toContain("{");
  expect(JSON.parse(run.stdout)).toEqual({ panicked: true, same: true });
});
