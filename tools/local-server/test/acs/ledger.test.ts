import { appendFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hashApiKey, startServer, type LedgerEntry } from "../../src/index.ts";
import { Ledger, openLedger } from "../../src/ledger.ts";
import { ask, submit, until } from "./job-support.ts";
import { frames, openStream } from "../stream-support.ts";
import { rawTensor, start, type Running } from "../support.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "residua-ledger-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function read(file: string): Promise<LedgerEntry[]> {
  const lines = (await readFile(file, "utf8")).split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line) as LedgerEntry);
}

const sum = (entries: readonly LedgerEntry[]) => entries.reduce((total, { tokens }) => total + tokens, 0);

/** Every hold has one settlement and one refund after it, none of the wrong sign, and they balance. */
function audit(entries: readonly LedgerEntry[]): void {
  expect(sum(entries)).toBe(0);
  const holds = new Map<string, LedgerEntry[]>();
  for (const entry of entries) holds.set(entry.hold, [...(holds.get(entry.hold) ?? []), entry]);
  for (const own of holds.values()) {
    expect(own.map(({ kind }) => kind)).toEqual(["hold", "settle", "refund"]);
    expect(new Set(own.map(({ key }) => key)).size).toBe(1);
    expect(sum(own)).toBe(0);
    expect(own.map(({ tokens }) => Math.sign(tokens) * (tokens === 0 ? 0 : 1))[0]).toBe(1);
    for (const { tokens } of own.slice(1)) expect(tokens).toBeLessThanOrEqual(0);
  }
}

describe("a ledger", () => {
  test("never lets a key over its budget, and always balances", () => {
    const step = fc.record({
      tokens: fc.nat(60),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
      end: fc.nat(5),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), fc.nat(300), (steps, budget) => {
        const entries: LedgerEntry[] = [];
        const ledger = new Ledger((entry) => entries.push(entry));
        const open: (() => void)[] = [];
        for (const { tokens, share, end } of steps) {
          const { held, settled } = ledger.balance("ann");
          const fits = tokens <= budget - held - settled;
          try {
            const hold = ledger.hold("ann", tokens, { total: budget });
            expect(fits).toBe(true);
            open.push(() => hold.settle(Math.floor(share * tokens)));
          } catch (error) {
            expect(error).toMatchObject({ status: 429, code: "budget_exceeded", retryAfter: undefined });
            expect(fits).toBe(false);
          }
          // Ended twice, now and then: the second time nothing happens.
          open[end]?.();
          const after = ledger.balance("ann");
          expect(after.held + after.settled).toBeLessThanOrEqual(budget);
          expect(Math.min(after.held, after.settled)).toBeGreaterThanOrEqual(0);
        }
        for (const settle of open) settle();
        expect(sum(entries)).toBe(0);
        const settled = 0 - sum(entries.filter(({ kind }) => kind === "settle"));
        expect(ledger.balance("ann")).toEqual({ held: 0, settled });
        expect(ledger.balance("ben")).toEqual({ held: 0, settled: 0 });
      }),
    );
  });

  test("goes on where its file ends, half a line and open holds included", async () => {
    const file = join(folder, "resumed.jsonl");
    const first = openLedger(file);
    first.hold("ann", 50).settle(20);
    first.hold("ann", 7);
    await appendFile(file, '{"at":"2026-');
    const second = openLedger(file);
    expect(second.balance("ann")).toEqual({ held: 0, settled: 20 });
    second.hold("ann", 5, { total: 25 }).settle(5);
    expect(() => second.hold("ann", 1, { total: 25 })).toThrow("0 are left of the key's budget of 25");
    const entries = await read(file);
    audit(entries);
    expect(new Set(entries.map(({ hold }) => hold)).size).toBe(3);
  });

  test("goes on from a file cut at any byte: what was settled stays settled, the rest is given back", async () => {
    const file = join(folder, "cut.jsonl");
    const whole = openLedger(file);
    whole.hold("ann", 150).settle(140);
    whole.hold("ann", 30).settle(30);
    whole.hold("ben", 9);
    const text = await readFile(file, "utf8");
    for (let length = 0; length <= text.length; length++) {
      const left = text.slice(0, length).split("\n").slice(0, -1);
      const entries = left.map((line) => JSON.parse(line) as LedgerEntry);
      const settled = 0 - sum(entries.filter(({ kind }) => kind === "settle"));
      await writeFile(file, text.slice(0, length));
      expect(openLedger(file).balance("ann")).toEqual({ held: 0, settled });
      audit(await read(file));
    }
  });

  test("that cannot be read is refused before the server starts", async () => {
    const file = join(folder, "broken.jsonl");
    await writeFile(file, '{"kind":"hold"}\n');
    for (const [ledger, message] of [
      [file, "ledger: line 1 is no entry"],
      [join(folder, "none", "x"), "ledger: the file cannot be read and written"],
    ] as const) {
      const starting = startServer({ model: "/nowhere", ledger });
      await expect(starting).rejects.toMatchObject({ code: "ledger_invalid" });
      await expect(starting).rejects.toThrow(message);
    }
  });
});

/** Steering with it fails while the tokens are written. */
function hugeVector({ model }: Running) {
  const { hiddenSize } = model.config;
  return rawTensor(Array<number>(hiddenSize).fill(1e38), [1, 1, hiddenSize]);
}

describe("on the server", () => {
  const key = "key-of-ann-6f1c90aa";
  const poor = "key-of-ben-77d01b42";
  const headers = { authorization: `Bearer ${key}` };
  const budget = 60;
  // Who leaves may be read only after the round: with a key of its own each round's entries are told apart.
  const mixes = Array.from({ length: 12 }, (_, i) => `mix-${i}`);
  const mixKey = (id: string) => `key-of-${id}-0c5e77a1`;
  let running: Running;
  let file: string;
  beforeAll(async () => {
    file = join(folder, "server.jsonl");
    const apiKeys = [
      hashApiKey(key, { id: "ann" }),
      hashApiKey(poor, { id: "ben", budget }),
      ...mixes.map((id) => hashApiKey(mixKey(id), { id })),
    ];
    running = await start({ apiKeys, ledger: file, keepAliveInterval: 20 });
  });
  afterAll(async () => {
    await running.close();
    expect(running.logged).toEqual([]);
  });

  /** The entries that an action adds, once everything has ended. */
  async function added(action: () => Promise<unknown>): Promise<LedgerEntry[]> {
    const before = (await read(file)).length;
    await action();
    let entries = await read(file);
    for (let i = 0; i < 1000 && (running.model.stats().active > 0 || sum(entries) !== 0); i++) {
      await sleep(10);
      entries = await read(file);
    }
    audit(entries);
    return entries.slice(before);
  }

  const tokens = (entries: readonly LedgerEntry[]) => entries.map((entry) => entry.tokens);

  test("one hold for all choices, settled to the usage; a stream without usage too", async () => {
    const body = {
      prompt: [
        [1, 2, 3],
        [4, 5],
      ],
      n: 3,
      max_tokens: 40,
      temperature: 30,
      seed: 5,
      stop: "a",
    };
    let total = 0;
    const whole = await added(async () => {
      total = (await running.complete(body, headers)).body.usage.total_tokens;
    });
    const most = 2 * 3 * 40 + 5;
    expect(total).toBeLessThan(most);
    expect(tokens(whole)).toEqual([most, -total, total - most]);
    const stream = await added(async () => {
      for await (const frame of frames(await openStream(running, body, { headers })))
        expect(frame).toBeTruthy();
    });
    expect(tokens(stream)).toEqual(tokens(whole));
  });

  test("what is refused or fails", async () => {
    expect(await added(() => running.complete({ prompt: "a", n: 2000, max_tokens: 1 }, headers))).toEqual([]);
    const steering = {
      activations: hugeVector(running),
      layer_indices: [0],
      scale: 1e30,
      position_indices: [3],
    };
    const failing = { prompt: [1, 2, 3], max_tokens: 9, apply_steering_vectors: [steering] };
    const failed = await added(async () => {
      expect((await running.complete(failing, headers)).body.error.message).toMatch(/not finite/);
    });
    // The prompt and the first token were written.
    expect(tokens(failed)).toEqual([12, -4, -8]);
  });

  test("a budget is never overdrawn, and says so without Retry-After", async () => {
    const spend = async () => {
      const answer = await running.complete(
        { prompt: [1, 2], max_tokens: 18, temperature: 0 },
        { authorization: `Bearer ${poor}` },
      );
      if (answer.status === 429) {
        expect(answer.body.error.code).toBe("budget_exceeded");
        expect(answer.headers.has("retry-after")).toBe(false);
      }
      return answer.status;
    };
    const entries = await added(async () => {
      // Together: what is held counts as used.
      const statuses = await Promise.all(Array.from({ length: 6 }, spend));
      expect(statuses.sort()).toEqual([200, 200, 200, 429, 429, 429]);
      while ((await spend()) === 200);
    });
    const used = 0 - sum(entries.filter(({ kind }) => kind === "settle"));
    expect(used).toBeLessThanOrEqual(budget);
    expect(used).toBeGreaterThan(budget - 20);
    expect((await running.complete({ prompt: "a", max_tokens: 1 }, headers)).status).toBe(200);
  });

  type Kind = "finish" | "fail" | "refuse" | "leave" | "job" | "cancel";
  const request = fc.record({
    prompts: fc.integer({ min: 1, max: 3 }),
    n: fc.integer({ min: 1, max: 4 }),
    max: fc.integer({ min: 1, max: 60 }),
    seed: fc.nat(1000),
    stream: fc.boolean(),
    kind: fc.constantFrom<Kind>("finish", "fail", "refuse", "leave", "job", "cancel"),
    after: fc.nat(60),
  });
  type Request = typeof request extends fc.Arbitrary<infer T> ? T : never;

  function bodyOf({ prompts, n, max, seed, stream, kind, after }: Request) {
    const fails = kind === "fail";
    const steering = {
      activations: hugeVector(running),
      layer_indices: [0],
      scale: 1e30,
      position_indices: [2 + (after % 3)],
    };
    return {
      model: "tiny",
      prompt: fails ? [7, 8] : Array.from({ length: prompts }, (_, p) => [p + 5, 9]),
      n: fails ? 1 : n,
      max_tokens: kind === "refuse" ? 0 : fails ? max + 3 : max,
      temperature: 2,
      seed,
      stream,
      ...(stream && kind === "finish" ? { stream_options: { include_usage: true } } : {}),
      ...(fails && { apply_steering_vectors: [steering] }),
    };
  }

  /** Does what the request says, and returns the tokens that its answer counts; undefined when it gives no count. */
  async function act(request: Request, headers: Record<string, string>): Promise<number | undefined> {
    const { kind, after } = request;
    const body = bodyOf(request);
    if (kind === "job" || kind === "cancel") {
      const { job_id: id } = await submit(running, { ...body, stream: false }, headers);
      if (kind === "job") return (await until(running, id, "done", headers)).usage!.total_tokens;
      await sleep(after);
      await ask(running, "DELETE", `/${id}`, undefined, headers);
      return undefined;
    }
    const end = new AbortController();
    const left = new Promise<undefined>((resolve) => {
      end.signal.addEventListener("abort", () => resolve(undefined));
    });
    if (kind === "leave") setTimeout(() => end.abort(), after);
    const answered = async () => {
      const response = await fetch(`${running.server.url}/completions`, {
        method: "POST",
        headers,
        body: JSON.stringify(body),
        signal: end.signal,
      });
      const total = /"total_tokens":(\d+)/.exec(await response.text())?.[1];
      return kind === "finish" ? Number(total) : undefined;
    };
    // Node's fetch can stay pending when it is aborted just as the answer arrives.
    return Promise.race([answered(), left]);
  }

  test("any mix of requests that finish, fail, leave, are refused or run as jobs balances", async () => {
    const ids = [...mixes];
    const rounds = { numRuns: mixes.length, endOnFailure: true };
    const mix = fc.array(request, { minLength: 1, maxLength: 24 });
    await fc.assert(
      fc.asyncProperty(mix, async (requests) => {
        const id = ids.pop()!;
        const headers = { authorization: `Bearer ${mixKey(id)}` };
        let counts: (number | undefined)[] = [];
        await added(async () => {
          counts = await Promise.all(requests.map((one) => act(one, headers)));
        });
        const entries = (await read(file)).filter(({ key }) => key === id);
        const of = (...kinds: Kind[]) => requests.filter(({ kind }) => kinds.includes(kind)).length;
        const holds = entries.filter(({ kind }) => kind === "hold").length;
        // Who leaves may have left before the server read the request.
        expect(holds).toBeLessThanOrEqual(requests.length - of("refuse"));
        expect(holds).toBeGreaterThanOrEqual(requests.length - of("refuse", "leave"));
        const settled = 0 - sum(entries.filter(({ kind }) => kind === "settle"));
        const counted = counts.reduce<number>((total, count) => total + (count ?? 0), 0);
        expect(settled).toBeGreaterThanOrEqual(counted);
        if (of("finish", "refuse", "job") === requests.length) expect(settled).toBe(counted);
      }),
      rounds,
    );
  });
});
