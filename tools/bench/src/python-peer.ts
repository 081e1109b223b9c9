import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const peers = fileURLToPath(new URL("../peers/", import.meta.url));

/** A peer in Python: a process that answers one JSON line with one JSON line. */
export interface PythonPeer {
  ask(message: unknown): Promise<unknown>;
  close(): Promise<void>;
}

/** Starts `peers/SCRIPT` in a cached virtual environment that holds exactly `requirements`. */
export function startPythonPeer(
  script: string,
  requirements: readonly string[],
  settings: NodeJS.ProcessEnv = {},
): PythonPeer {
  const python = ensureEnvironment(requirements);
  const env = { ...ownBlas(), ...settings };
  const child = spawn(python, [join(peers, script)], { stdio: ["pipe", "pipe", "inherit"], env });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const ask = async (message: unknown) => {
    child.stdin.write(`${JSON.stringify(message)}\n`);
    const line = await lines.next();
    if (line.done) throw new Error(`${script} ended before it answered`);
    return JSON.parse(line.value) as unknown;
  };
  const close = async () => {
    child.stdin.end();
    await exited;
  };
  return { ask, close };
}

function ensureEnvironment(requirements: readonly string[]): string {
  const key = createHash("sha256").update(requirements.join("\n")).digest("hex").slice(0, 12);
  const folder = join(root, ".cache", `bench-python-${key}`);
  const python = join(folder, "bin", "python");
  const complete = join(folder, "complete");
  if (existsSync(complete)) return python;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(root, ".cache"), { recursive: true });
  console.error(`Installing ${requirements.join(", ")} into a virtual environment (once) …`);
  runOrThrow("python3", ["-m", "venv", folder]);
  runOrThrow(python, ["-m", "pip", "install", "--quiet", ...requirements]);
  writeFileSync(complete, "");
  return python;
}

function runOrThrow(command: string, args: readonly string[]): void {
  const { status, error } = spawnSync(command, args, { stdio: ["ignore", "ignore", "inherit"] });
  if (status !== 0) {
    throw new Error(
      `${command} ${args.slice(0, 3).join(" ")} failed (${error?.message ?? `code ${status}`}); the peer needs Python 3 with venv and pip`,
    );
  }
}

/** The environment without settings that would choose an older BLAS kernel for the peer, and with one thread for its BLAS. */
function ownBlas(): NodeJS.ProcessEnv {
  const { OPENBLAS_CORETYPE: _type, OPENBLAS_L2_SIZE: _size, ...env } = process.env;
  return { ...env, OMP_NUM_THREADS: "1", OPENBLAS_NUM_THREADS: "1" };
}
