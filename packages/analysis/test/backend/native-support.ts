import { spawnSync } from "node:child_process";
import type { TestContext } from "vitest";

/** Cache folders in which `residua backend install` has built the variants; `.ci/run` builds them. */
const nativeCaches = {
  cpu: process.env["RESIDUA_NATIVE"],
  cuda: process.env["RESIDUA_NATIVE_CUDA"],
};
type Variant = keyof typeof nativeCaches;

const names: Record<Variant, string> = { cpu: "RESIDUA_NATIVE", cuda: "RESIDUA_NATIVE_CUDA" };

/** The cache folder of a variant; a test without it is skipped, and says what would make it run. */
export function requireNative(context: TestContext, variant: Variant = "cpu"): string {
  const cache = nativeCaches[variant];
  const name = names[variant];
  const build = `RESIDUA_CACHE=$PWD/.cache/native-${variant} residua backend install${variant === "cuda" ? " --cuda" : ""}`;
  const why = `${name} is not set; ${build} builds the backend, and ${name} names that folder`;
  context.skip(!cache, process.env[`${name}_UNAVAILABLE`] ?? why);
  return cache as string;
}

/** Runs a module's text in a process of its own, in which only that cache folder is looked at; gives what it prints as JSON. */
export function inProcess(
  cache: string,
  script: string,
  {
    command = [process.execPath, ...nodeArguments],
    env = {},
  }: { command?: string[]; env?: NodeJS.ProcessEnv } = {},
): { found: unknown; stderr: string } {
  const [program, ...args] = command as [string, ...string[]];
  const { stdout, stderr, status, error } = spawnSync(program, [...args, script], {
    encoding: "utf8",
    cwd: import.meta.dirname,
    env: { ...process.env, RESIDUA_CACHE: cache, ...env },
    maxBuffer: 1 << 26,
  });
  if (error) throw error;
  if (status !== 0) throw new Error(`ended with code ${status}: ${stderr}`);
  return { found: JSON.parse(stdout), stderr };
}

const nodeArguments = ["--import", "tsx", "--conditions=@residua/source", "--input-type=module", "-e"];
