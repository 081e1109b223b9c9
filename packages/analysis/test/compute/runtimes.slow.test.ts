import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../../../..");
const program = join(import.meta.dirname, "sweep-child.mjs");
const sources = join(root, "packages/analysis/src/index.ts");
/** The process ends by itself, too: idle workers hold it up no longer. */
const expected = "wasm true true\n";

function run(command: string, words: readonly string[], env: NodeJS.ProcessEnv = {}): string {
  return execFileSync(command, words, {
    encoding: "utf8",
    timeout: 500_000,
    env: { ...process.env, ...env },
  });
}

test("workers run from sources under tsx", () => {
  const words = ["--import", "tsx", "--conditions=@residua/source", program, sources];
  expect(run(process.execPath, words)).toBe(expected);
});

test("workers run from sources under Deno", () => {
  const deno = join(root, "node_modules/.bin/deno");
  const words = ["run", "-A", program, sources];
  expect(run(deno, words, { DENO_CONDITIONS: "@residua/source" })).toBe(expected);
});

test("workers run from what is compiled, in plain Node", () => {
  run(process.execPath, [
    join(root, "node_modules/typescript/bin/tsc"),
    "-b",
    join(root, "packages/analysis/tsconfig.lib.json"),
  ]);
  // No loader and no condition: as it is installed.
  const words = [program, join(root, "packages/analysis/dist/index.js")];
  expect(run(process.execPath, words)).toBe(expected);
}, 600_000);
