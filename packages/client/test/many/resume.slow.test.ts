import { appendFile, mkdtemp, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { tmpdir } from "node:os";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { JournalError, type SampleManyOptions } from "../../src/index.ts";
import { openJournal } from "../../src/journal/journal.ts";
import { json } from "../fault-server.ts";
import { startChild } from "./child-support.ts";
import { clientOf, collect, crowdServer, makeCloser, requestsOf } from "./crowd-server.ts";

const closing = makeCloser();
let folder: string;
let journal: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "residua-journal-"));
  journal = join(folder, "run.jsonl");
});
afterEach(async () => {
  await closing.all();
  await rm(folder, { recursive: true });
});

async function setup(options: Parameters<typeof crowdServer>[0] = {}, client = {}) {
  const server = closing(await crowdServer(options));
  return { server, client: closing(clientOf(server, client)) };
}

const lines = async () => (await readFile(journal, "utf8")).trimEnd().split("\n");
const failure = (run: Promise<unknown>) =>
  run.then(
    () => expect.unreachable(),
    (error: unknown) => error as JournalError,
  );

it("holds each outcome before it is handed out, and gives all again without asking", async () => {
  const { client, server } = await setup();
  const requests = requestsOf(30, { n: 2 });
  let taken = 0;
  const first = [];
  for await (const outcome of client.completions.sampleMany(requests, { journal })) {
    taken++;
    first.push(outcome);
    expect((await lines()).length).toBeGreaterThan(taken);
  }
  expect((await stat(journal)).mode & 0o077).toBe(0);
  await expect(stat(`${journal}.lock`)).rejects.toThrow("ENOENT");
  expect(await readFile(journal, "utf8")).not.toMatch(/Bearer|apiKey|"k"/);
  const again = await collect(client.completions.sampleMany(requests, { journal, ordered: true }));
  expect(server.asked).toHaveLength(30);
  expect(again.map(({ index }) => index)).toEqual(requests.map((_, i) => i));
  for (const { index, completion, request, resumed } of again) {
    const before = first.find((outcome) => outcome.index === index);
    expect(completion).toEqual(before?.completion);
    expect(request).toEqual(before?.request);
    expect(completion?.choicesOf(0)).toHaveLength(2);
    expect(resumed).toBe(true);
  }
});

it("goes on after a longer list; equal requests are told apart by their order", async () => {
  const { client, server } = await setup();
  const same = Array.from({ length: 6 }, () => requestsOf(1)[0]!);
  await collect(client.completions.sampleMany(same.slice(0, 4), { journal }));
  const outcomes = await collect(client.completions.sampleMany(same, { journal }));
  expect(outcomes.filter(({ resumed }) => resumed)).toHaveLength(4);
  expect(server.asked).toHaveLength(6);
});

it("asks failed requests again, but for those that the server refused as they are", async () => {
  let mended = false;
  const refuse: Record<string, [number, string]> = {
    p1: [400, "context_length_exceeded"],
    p2: [500, "internal_error"],
    p3: [429, "budget_exceeded"],
  };
  const { client, server } = await setup({
    misbehave: ({ prompt }, response) => {
      const [status, code] = refuse[prompt as string] ?? [];
      if (status === undefined || mended) return false;
      json(response, status, { error: { message: "no", code } });
      return true;
    },
  });
  const requests = [...requestsOf(4), { ...requestsOf(1)[0]!, temperature: -1 }];
  const options: SampleManyOptions = { journal, ordered: true, concurrency: 1 };
  const first = await collect(client.completions.sampleMany(requests, options));
  expect(first.map(({ error }) => error?.code)).toEqual([
    undefined,
    "context_length_exceeded",
    "internal_error",
    "budget_exceeded",
    "invalid_request",
  ]);
  mended = true;
  const second = await collect(client.completions.sampleMany(requests, options));
  expect(second.map(({ error }) => error?.code)).toEqual([
    ...[undefined, "context_length_exceeded", undefined, undefined],
    "invalid_request",
  ]);
  expect(second[1]).toMatchObject({ resumed: true, error: { data: { status: 400 } } });
  expect(server.asked.slice(4).map(({ prompt }) => prompt)).toEqual(["p2", "p3"]);
  const third = await collect(client.completions.sampleMany(requests, options));
  expect(third.map(({ resumed }) => resumed)).toEqual([true, true, true, true, undefined]);
});

describe("a killed run", () => {
  it("goes on without asking again for what it has", { timeout: 60_000 }, async () => {
    const { server } = await setup({ delay: 15, capabilities: { max_inflight_per_key: 8 } });
    const run = { baseURL: server.url, count: 300, options: { journal } };
    const { child, report } = startChild(run);
    await vi.waitFor(() => expect(server.asked.length).toBeGreaterThan(120), { timeout: 30_000 });
    child.kill("SIGKILL");
    expect(await report).toBeUndefined();
    await vi.waitFor(() => expect(server.inFlight).toBe(0));
    const sent = server.asked.length;
    const kept = (await lines()).length - 1;
    expect(kept).toBeGreaterThan(80);
    // The lock is there still, and its process is gone.
    await stat(`${journal}.lock`);
    const second = await startChild(run).report;
    expect(second).toMatchObject({ outcomes: 300, failed: 0 });
    const counts = new Map<unknown, number>();
    for (const { prompt } of server.asked) counts.set(prompt, (counts.get(prompt) ?? 0) + 1);
    expect(counts.size).toBe(300);
    const twice = [...counts.values()].filter((count) => count > 1);
    // Those in flight, and those that were answered and not yet on disk.
    expect(twice.length).toBeLessThanOrEqual(16);
    expect(twice.every((count) => count === 2)).toBe(true);
    expect(server.asked.length - sent).toBe(300 - (second?.resumed ?? 0));
  });

  it("at any byte: the torn last line is cut off and asked again", async () => {
    const { client, server } = await setup();
    const requests = requestsOf(3);
    await collect(client.completions.sampleMany(requests, { journal, concurrency: 1 }));
    const whole = await readFile(journal);
    const headerEnd = whole.indexOf("\n") + 1;
    for (const size of [0, 1, headerEnd - 1, headerEnd, headerEnd + 5, whole.length - 40, whole.length - 1]) {
      await writeFile(journal, whole.subarray(0, size));
      const left = whole.subarray(headerEnd, Math.max(headerEnd, size)).toString().split("\n").length - 1;
      const before = server.asked.length;
      const outcomes = await collect(client.completions.sampleMany(requests, { journal }));
      expect(outcomes.map(({ error }) => error)).toEqual([undefined, undefined, undefined]);
      expect(server.asked.length - before).toBe(3 - left);
      expect((await lines()).every((line) => JSON.parse(line) as boolean)).toBe(true);
      expect(await lines()).toHaveLength(4);
    }
  });
});

describe("is refused", () => {
  it("when it is of other requests, before anything is sent", async () => {
    const { client, server } = await setup();
    await collect(client.completions.sampleMany(requestsOf(5), { journal }));
    const others = requestsOf(5, { temperature: 0.5 });
    const error = await failure(collect(client.completions.sampleMany(others, { journal })));
    expect(error).toBeInstanceOf(JournalError);
    expect(error.code).toBe("journal_mismatch");
    expect(error.message).toContain("request 0");
    expect(server.asked).toHaveLength(5);
    await expect(stat(`${journal}.lock`)).rejects.toThrow("ENOENT");
  });

  it("but equal requests of a changed list are taken over when asked", async () => {
    const { client, server } = await setup();
    await collect(client.completions.sampleMany(requestsOf(5), { journal }));
    const [a, b, c, d, e] = requestsOf(5) as [object, ...object[]];
    const changed = [e, a, { ...b, temperature: 0.5 }, c, d] as ReturnType<typeof requestsOf>;
    const options: SampleManyOptions = { journal: { path: journal, changed: "reuse" }, ordered: true };
    const outcomes = await collect(client.completions.sampleMany(changed, options));
    expect(outcomes.map(({ resumed }) => resumed)).toEqual([true, true, undefined, true, true]);
    expect(outcomes.map(({ completion }) => completion?.choices[0]?.text)).toEqual(
      ["p4", "p0", "p1", "p2", "p3"].map((prompt) => `"${prompt}" unseeded`),
    );
    expect(server.asked).toHaveLength(6);
  });

  it("when it is of another server or profile", async () => {
    const { client } = await setup();
    await collect(client.completions.sampleMany(requestsOf(1), { journal }));
    const text = await readFile(journal, "utf8");
    for (const [from, to, says] of [
      [/http:[^"]*/, "https://elsewhere.example/v1", "https://elsewhere.example/v1"],
      ['"acs"', '"vllm"', "profile vllm"],
    ] as const) {
      await writeFile(journal, text.replace(from, to));
      const error = await failure(collect(client.completions.sampleMany(requestsOf(1), { journal })));
      expect(error).toMatchObject({ code: "journal_mismatch" });
      expect(error.message).toContain(says);
    }
    // Another port on this machine may be the same server, started again.
    await writeFile(journal, text.replace(/:\d+\/v1/, ":1/v1"));
    const [outcome] = await collect(client.completions.sampleMany(requestsOf(1), { journal }));
    expect(outcome?.resumed).toBe(true);
  });

  it("when the file is something else, which is left as it was", async () => {
    const { client, server } = await setup();
    for (const text of ["my notes", "my notes\n", '{"residua_journal":2}\n', '{"residua_journal":2,"x']) {
      await writeFile(journal, text);
      const error = await failure(collect(client.completions.sampleMany(requestsOf(1), { journal })));
      expect(error).toMatchObject({ code: "journal_invalid" });
      expect(await readFile(journal, "utf8")).toBe(text);
    }
    expect(server.asked).toHaveLength(0);
  });

  it("when a line in its midst cannot be read", async () => {
    const { client } = await setup();
    await collect(client.completions.sampleMany(requestsOf(2), { journal }));
    const { size } = await stat(journal);
    await truncate(journal, size - 10);
    await appendFile(journal, "\n");
    const error = await failure(collect(client.completions.sampleMany(requestsOf(2), { journal })));
    expect(error).toMatchObject({ code: "journal_damaged" });
    expect(error.message).toContain("line 3");
  });

  it("when it cannot be written, before anything is sent", async () => {
    const { client, server } = await setup();
    const options = { journal: join(folder, "none", "run.jsonl") };
    const error = await failure(collect(client.completions.sampleMany(requestsOf(2), options)));
    expect(error).toMatchObject({ code: "journal_unreadable", data: { reason: "ENOENT" } });
    expect(server.asked).toHaveLength(0);
  });

  it("where there are no files", async () => {
    const at = {
      path: "run.jsonl",
      changed: "refuse",
      profile: "acs",
      server: "http://127.0.0.1/v1",
    } as const;
    const error = await failure(openJournal(undefined, at));
    expect(error).toMatchObject({ code: "journal_unsupported" });
  });

  it("while another run writes it, in this process or another", { timeout: 30_000 }, async () => {
    const { client, server } = await setup({ delay: 20 });
    const run = client.completions.sampleMany(requestsOf(50), { journal, concurrency: 1 });
    await run.next();
    const error = await failure(collect(client.completions.sampleMany(requestsOf(50), { journal })));
    expect(error).toMatchObject({ code: "journal_locked", data: { pid: process.pid } });
    await run.return();
    const { child, report } = startChild({ baseURL: server.url, count: 2000, options: { journal } });
    await vi.waitFor(async () => expect((await lines()).length).toBeGreaterThan(20), { timeout: 20_000 });
    const other = await failure(collect(client.completions.sampleMany(requestsOf(50), { journal })));
    expect(other).toMatchObject({ code: "journal_locked", data: { pid: child.pid } });
    child.kill("SIGKILL");
    await report;
    const rest = await collect(client.completions.sampleMany(requestsOf(50), { journal }));
    expect(rest.every(({ error: fault }) => fault === undefined)).toBe(true);
  });
});
