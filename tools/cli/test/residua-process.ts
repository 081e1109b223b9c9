import { spawn, type ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";

const bin = fileURLToPath(new URL("../bin/residua.js", import.meta.url));

/** What a finished command left behind. */
export interface Finished {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Starts the real command, as a user would. No server is named by the environment unless `env` names one. */
export function startResidua(
  words: readonly string[],
  { env = {}, cwd }: { env?: NodeJS.ProcessEnv; cwd?: string } = {},
) {
  const { ACS_API_BASE: _base, ACS_API_KEY: _key, ...clean } = process.env;
  const child = spawn(process.execPath, [bin, ...words], {
    env: { ...clean, ...env },
    cwd,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  const finished = new Promise<Finished>((resolve) =>
    child.once("close", (code) => resolve({ code, stdout, stderr })),
  );
  return { child: child as ChildProcess, finished, stderr: () => stderr };
}

/** Runs the real command to its end. */
export function residua(
  words: readonly string[],
  options: Parameters<typeof startResidua>[1] = {},
): Promise<Finished> {
  return startResidua(words, options).finished;
}

/** Serves the embedded model on a free port, by the command; resolves once it answers. */
export async function serveTiny(
  more: readonly string[] = [],
): Promise<ReturnType<typeof startResidua> & { url: string }> {
  const serving = startResidua(["serve", "--model", "tiny", "--port", "0", "--json", ...more]);
  const line = await new Promise<string>((resolve) =>
    serving.child.stdout!.once("data", (chunk: Buffer) => resolve(chunk.toString())),
  );
  return { ...serving, url: (JSON.parse(line) as { url: string }).url };
}
