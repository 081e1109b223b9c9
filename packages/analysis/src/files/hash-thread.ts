import { Worker } from "node:worker_threads";
import type { EventEmitter } from "node:events";
import { hashFile } from "./file-hash.ts";

/** A thread that hashes files, so that the one that encodes and writes them does not wait. */
export interface HashThread {
  /** SHA-256 of a file in hex. */
  hash: (path: string) => Promise<string>;
  end(): Promise<void>;
}

/** As text, so that a bundler needs to know nothing of it. */
const program = `
const { createHash } = require("node:crypto");
const { closeSync, openSync, readSync } = require("node:fs");
const { parentPort } = require("node:worker_threads");
const block = new Uint8Array(1 << 20);
parentPort.on("message", (path) => {
  let sha256 = null;
  try {
    const hash = createHash("sha256");
    const file = openSync(path, "r");
    try {
      for (let read; (read = readSync(file, block)) > 0;) hash.update(block.subarray(0, read));
      sha256 = hash.digest("hex");
    } finally {
      closeSync(file);
    }
  } catch {}
  parentPort.postMessage({ path, sha256 });
});
`;

/** Starts the thread. A file that it could not hash, or a thread that died, costs time only: the caller's thread hashes then. */
export function startHashThread(): HashThread {
  const waiting = new Map<string, (sha256: string | null) => void>();
  let worker: Worker | undefined = new Worker(program, { eval: true });
  // Deno's types do not say that a worker is one.
  const events = worker as unknown as EventEmitter;
  const give = (path: string, sha256: string | null): void => {
    waiting.get(path)?.(sha256);
    waiting.delete(path);
  };
  const stop = (): void => {
    worker = undefined;
    for (const path of [...waiting.keys()]) give(path, null);
  };
  events.on("message", ({ path, sha256 }: { path: string; sha256: string | null }) => give(path, sha256));
  events.on("error", stop);
  events.on("exit", stop);
  return {
    async hash(path) {
      const found = await new Promise<string | null>((resolve) => {
        if (!worker) return resolve(null);
        waiting.set(path, resolve);
        worker.postMessage(path);
      });
      return found ?? (await hashFile(path));
    },
    async end() {
      await worker?.terminate();
    },
  };
}
