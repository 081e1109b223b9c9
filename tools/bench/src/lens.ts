import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import { bundlePrograms } from "./bundle.ts";
import { type Child, startChild } from "./child.ts";
import { type CaptureServer, captureServer } from "./lens/capture-server.ts";
import type { LensTask, LensTaskResult } from "./lens/lens-task.ts";
import { newerNode } from "./lens/newer-node.ts";
import { type PythonPeer, startPythonPeer } from "./python-peer.ts";
import type { Contest } from "./row.ts";

const mebibyte = 2 ** 20;
/** The largest capture that the hosted API gives, as bfloat16 64 MiB: 16 × (511 + 1) × 4096 is its limit. */
const shape = [16, 511, 4096] as const;
/** As many numbers as steering vectors may hold. */
const numbers = 2_097_152;
const peerName = "json + base64 + zstandard 0.25 + NumPy 2.4";
const cache = fileURLToPath(new URL("../../../.cache/bench-lens/", import.meta.url));

const figure = z.object({ figure: z.number() });
const hashes = z.object({ rows: z.string(), vector: z.string() });
const startPeer = () => startPythonPeer("lens_path.py", ["numpy==2.4.6", "zstandard==0.25.0"]);

interface Setting {
  readonly program: string;
  /** The answer with the capture. */
  readonly file: string;
}

/** `npm run bench -- lens`. */
export async function* lensContests(wanted: (id: string) => boolean): AsyncGenerator<Contest> {
  const ids = Object.keys(rows).filter((id) => wanted(id));
  if (ids.length === 0) return;
  const { "lens-process": program } = await bundlePrograms(["lens/lens-process"]);
  const file = await answerFile();
  for (const id of ids) yield await rows[id]!(id, { program: program!, file });
}

const rows: Readonly<Record<string, (id: string, setting: Setting) => Promise<Contest>>> = {
  "lens/decode-node": (id, setting) =>
    speed(id, setting, { by: "Node 22's own zstd", node: newerNode(), goal: 2, task: "decode" }),
  "lens/decode-native": (id, setting) =>
    speed(id, setting, { by: "@mongodb-js/zstd on this Node", goal: 2, task: "decode" }),
  "lens/decode-wasm": (id, setting) =>
    speed(id, setting, { by: "WebAssembly on this Node", words: ["wasm"], goal: null, task: "decode" }),
  "lens/encode-steering": (id, setting) => speed(id, setting, { goal: 1, task: "encode" }),
  "lens/peak-node": (id, setting) =>
    peak(id, setting, { by: "Node 22's own zstd", node: newerNode(), limit: true }),
  "lens/peak-native": (id, setting) =>
    peak(id, setting, { by: "@mongodb-js/zstd on this Node", limit: true }),
  "lens/peak-wasm": (id, setting) =>
    peak(id, setting, { by: "WebAssembly on this Node", words: ["wasm"], limit: false }),
};

interface Runtime {
  /** Which zstd. */
  readonly by?: string;
  readonly node?: string;
  readonly words?: readonly string[];
}

/** Milliseconds of the same work again and again, in a process of each side. */
async function speed(
  id: string,
  { program, file }: Setting,
  { by, node, words, goal, task }: Runtime & { goal: number | null; task: "decode" | "encode" },
): Promise<Contest> {
  const child = await startChild<unknown, LensTask, LensTaskResult>(program, words, node);
  const peer = startPeer();
  const load = { do: "load", file, numbers } as const;
  return {
    id,
    work:
      task === "decode"
        ? `body of a 64 MiB bfloat16 capture to float32 rows of each layer, by ${by}`
        : `${numbers} steering numbers to the body of a request`,
    peerName,
    goal,
    async checkEqual() {
      const ours = hashes.parse(await child.ask(load));
      const theirs = hashes.parse(await peer.ask(load));
      if (ours.rows !== theirs.rows) throw new Error("the rows differ from Python's");
      if (task === "encode" && ours.vector !== theirs.vector)
        throw new Error("the vector differs from Python's");
    },
    ours: async () => figure.parse(await child.ask({ do: task })).figure,
    peer: async () => figure.parse(await peer.ask({ do: task })).figure,
    async close() {
      await child.close();
      await peer.close();
    },
  };
}

/** The most memory of one capture from the socket to the rows, in a new process each time. */
async function peak(
  id: string,
  { program, file }: Setting,
  { by, node, words, limit }: Runtime & { limit: boolean },
): Promise<Contest> {
  const server: CaptureServer = await captureServer(readFileSync(file), shape);
  const [, tokens] = shape;
  const ours = async () => {
    const child: Child<unknown, LensTask, LensTaskResult> = await startChild(program, words, node);
    const { figure: bytes } = figure.parse(await child.ask({ do: "capture", url: server.url, tokens }));
    await child.close();
    return bytes / mebibyte;
  };
  const peer = async () => {
    const python: PythonPeer = startPeer();
    const { figure: bytes } = figure.parse(
      await python.ask({ do: "fetch", url: `${server.url}/completions` }),
    );
    await python.close();
    return bytes / mebibyte;
  };
  return {
    id,
    work: `most memory of a verified 64 MiB capture, from the socket to the rows of each layer in turn, by ${by}`,
    peerName: `urllib + ${peerName}, not verified`,
    goal: null,
    ...(limit && { limit: 3 * 64 }),
    unit: "MiB",
    checkEqual: () => Promise.resolve(),
    ours,
    peer,
    close: () => Promise.resolve(server.close()),
  };
}

async function answerFile(): Promise<string> {
  const file = `${cache}capture-${shape.join("x")}.json`;
  if (existsSync(file)) return file;
  mkdirSync(cache, { recursive: true });
  const peer = startPeer();
  await peer.ask({ do: "make", file, shape });
  await peer.close();
  return file;
}
