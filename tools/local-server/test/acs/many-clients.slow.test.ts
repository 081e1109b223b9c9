import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { tensorCount } from "@residua/engine";
import { afterAll, beforeAll, expect, test } from "vitest";
import { hashApiKey, type LedgerEntry } from "../../src/index.ts";
import { megabyte, memoryInUse } from "../heap.ts";
import { rawTensor, someVector, start, type Running } from "../support.ts";
import type { CrowdKey, Round, Tally } from "./crowd.ts";

/** How long the clients ask. */
const seconds = Number(process.env["RESIDUA_CLIENTS_SECONDS"] ?? 20);

/** 200 clients. A key has 80 places: those of the first are refused now and then, those of the last leave. */
const keys: readonly CrowdKey[] = [
  { id: "crowd", key: "key-of-crowd-6f1c90aa", clients: 120, leaves: false },
  { id: "few", key: "key-of-few-77d01b42", clients: 60, leaves: false },
  { id: "leavers", key: "key-of-leavers-0b9e5d13", clients: 20, leaves: true },
];

let folder: string;
let ledger: string;
let running: Running;
let crowd: ChildProcess;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "residua-clients-"));
  ledger = join(folder, "ledger.jsonl");
  const apiKeys = keys.map(({ id, key }) => hashApiKey(key, { id }));
  running = await start({ apiKeys, ledger });
  crowd = fork(fileURLToPath(new URL("crowd.ts", import.meta.url)), { execArgv: ["--import", "tsx"] });
});
afterAll(async () => {
  crowd.kill();
  await running.close();
  expect(running.logged).toEqual([]);
  await rm(folder, { recursive: true });
});

/** Requests of every kind; each answers the same whenever it is sent. */
function bodies(): Record<string, unknown>[] {
  const { hiddenSize } = running.model.config;
  const steer = (layer: number) => [
    { activations: rawTensor(someVector(hiddenSize, layer), [1, hiddenSize]), layer_indices: [layer] },
  ];
  const rome = "The city of Rome is";
  const plain = [
    { prompt: rome, max_tokens: 8, temperature: 0 },
    { prompt: "The city", max_tokens: 12, seed: 7, logprobs: 2 },
    { prompt: [5, 9, 11, 3], n: 4, max_tokens: 6, seed: 1, temperature: 2 },
    { prompt: ["The", "A review:"], n: 2, max_tokens: 5, seed: 2, echo: true, logprobs: 1 },
    { prompt: "Größe 🌍", max_tokens: 20, seed: 3, temperature: 20 },
    { prompt: "The city of Oslo", max_tokens: 16, temperature: 0, stop: [" is", "e"] },
    { prompt: "The city of Rome", max_tokens: 6, temperature: 0, apply_steering_vectors: steer(1) },
  ];
  const unstreamed = [
    { prompt: rome, max_tokens: 1, temperature: 0, prompt_logprobs: 3 },
    { prompt: rome, max_tokens: 3, temperature: 0, output_residual_stream: [0, 3] },
    {
      prompt: [8, 7, 6],
      max_tokens: 4,
      seed: 4,
      output_residual_stream: true,
      apply_steering_vectors: steer(2),
    },
  ];
  const streams = plain.map((body) => ({ ...body, stream: true, stream_options: { include_usage: true } }));
  return [...plain, ...unstreamed, ...streams].map((body) => ({ model: "tiny", ...body }));
}

/** Sends the crowd and waits until the server has nothing left to do. */
async function round(name: string, duration: number): Promise<Record<string, Tally>> {
  const told = once(crowd, "message");
  const order: Round = { url: running.server.url, keys, bodies: bodies(), name, seconds: duration };
  crowd.send(order);
  const [{ tallies, error }] = (await told) as [{ tallies: Record<string, Tally>; error?: string }];
  expect(error).toBeUndefined();
  while (running.model.stats().active + running.model.stats().waiting > 0) await sleep(10);
  return tallies;
}

async function entriesOf(id: string): Promise<LedgerEntry[]> {
  const lines = (await readFile(ledger, "utf8")).split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line) as LedgerEntry).filter(({ key }) => key === id);
}

test(
  `200 clients at once for ${seconds} s each get what they would get alone, in flat memory`,
  async () => {
    await round("alone", 0);
    const tensors = tensorCount();
    // What a crowd leaves behind once (connections, compiled code, a heap that grew) is no leak.
    await round("warm", seconds / 2);
    const before = await memoryInUse();
    const earlier = await Promise.all(keys.map(async ({ id }) => (await entriesOf(id)).length));
    const tallies = await round("full", seconds);
    const after = await memoryInUse();

    expect(tallies["crowd"]!.refused).toBeGreaterThan(0);
    for (const [i, { id, leaves }] of keys.entries()) {
      const { sent, answered, refused, tokens } = tallies[id]!;
      const entries = (await entriesOf(id)).slice(earlier[i]);
      const of = (kind: string) => entries.filter((entry) => entry.kind === kind);
      expect(entries.reduce((sum, entry) => sum + entry.tokens, 0)).toBe(0);
      for (const kind of ["settle", "refund"]) expect(of(kind).length).toBe(of("hold").length);
      // A full queue is found after the hold, which is given back whole.
      expect(of("hold").length).toBeLessThanOrEqual(sent + refused);
      if (leaves) continue;
      expect([id, answered, of("hold").length]).toEqual([id, sent, sent + refused]);
      expect(of("settle").reduce((sum, entry) => sum - entry.tokens, 0)).toBe(tokens);
    }
    expect(tensorCount()).toBe(tensors);
    expect(after.used - before.used).toBeLessThan(16 * megabyte);
    expect(after.rss - before.rss).toBeLessThan(128 * megabyte);
  },
  (seconds * 4 + 120) * 1000,
);
