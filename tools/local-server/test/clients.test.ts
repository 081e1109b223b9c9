import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hashApiKey, startServer } from "../src/index.ts";
import { openStream } from "./stream-support.ts";
import { start, type Running } from "./support.ts";

const keys = { ann: "key-of-ann-6f1c90aa", ben: "key-of-ben-77d01b42", cat: "key-of-cat-0b9e5d13" };
const records = [
  hashApiKey(keys.ann, { id: "ann" }),
  hashApiKey(keys.ben, { id: "ben", disabled: false }),
  hashApiKey(keys.cat, { id: "cat", disabled: true }),
];
const as = (key: string) => ({ authorization: `Bearer ${key}` });

let folder: string;
let file: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "residua-keys-"));
  file = join(folder, "keys.json");
  await writeFile(file, JSON.stringify({ keys: records }));
});
afterAll(() => rm(folder, { recursive: true }));

describe("keys from a file", () => {
  let running: Running;
  beforeAll(async () => {
    running = await start({ apiKeys: file, apiKey: "single-key-41c2", keepAliveInterval: 20 });
  });
  afterAll(async () => {
    await running.close();
    expect(running.logged).toEqual([]);
  });

  test("each key enters, a disabled, wrong or missing one does not", async () => {
    const outcome = async (headers: Record<string, string>) => {
      const { status, body, headers: answered } = await running.get("/v1/models", headers);
      if (status === 401) expect(answered.get("www-authenticate")).toBe("Bearer");
      return status === 200 ? 200 : `${status} ${body.error.code}`;
    };
    expect(await outcome(as(keys.ann))).toBe(200);
    expect(await outcome(as(keys.ben))).toBe(200);
    expect(await outcome(as("single-key-41c2"))).toBe(200);
    expect(await outcome(as(keys.cat))).toBe("401 key_disabled");
    expect(await outcome(as(`${keys.ann}x`))).toBe("401 invalid_api_key");
    // What the file holds opens nothing.
    expect(await outcome(as(records[0]!.hash))).toBe("401 invalid_api_key");
    expect(await outcome({})).toBe("401 missing_authorization");
  });

  test("what a key's prompts left in the prefix cache serves that key alone", async () => {
    const prompt = Array.from({ length: 64 }, (_, i) => 40 + i);
    const hits = async (key: string) => {
      const before = running.model.stats().prefixHits;
      expect((await running.complete({ prompt, max_tokens: 1 }, as(key))).status).toBe(200);
      return running.model.stats().prefixHits - before;
    };
    expect(await hits(keys.ann)).toBe(0);
    expect(await hits(keys.ben)).toBe(0);
    expect(await hits(keys.ann)).toBeGreaterThan(0);
  });

  test("a key's full queue is no other key's", async () => {
    const end = new AbortController();
    // So many choices that no request ends by itself, and so few that the engine has room for one more.
    const long = { prompt: "The", n: 7, max_tokens: 1000, temperature: 90 };
    const init = { headers: as(keys.ann), signal: end.signal };
    // A stream is answered as soon as it has its place: 16 run and 64 wait.
    const streams = await Promise.all(Array.from({ length: 80 }, () => openStream(running, long, init)));
    expect(new Set(streams.map(({ status }) => status))).toEqual(new Set([200]));
    const refused = await running.complete(long, as(keys.ann));
    expect([refused.status, refused.body.error.code]).toEqual([429, "queue_full"]);
    const other = await running.complete({ prompt: "The", max_tokens: 1 }, as(keys.ben));
    expect(other.status).toBe(200);
    end.abort();
  });
});

describe("what a key may do", () => {
  const secrets = {
    all: "key-of-all-6f1c90aa",
    reader: "key-of-reader-77d01b42",
    worker: "key-of-worker-0b9e5d13",
    nothing: "key-of-nothing-3c5a1e77",
    revoked: "key-of-revoked-5d1f20cc",
    suspended: "key-of-suspended-9e04b7d2",
    not_approved: "key-of-not-approved-1a2b3c4d",
  };
  let running: Running;
  beforeAll(async () => {
    running = await start({
      apiKeys: [
        hashApiKey(secrets.all, { id: "all" }),
        hashApiKey(secrets.reader, { id: "reader", scopes: ["models"] }),
        hashApiKey(secrets.worker, { id: "worker", scopes: ["completions", "jobs"] }),
        hashApiKey(secrets.nothing, { id: "nothing", scopes: [] }),
        ...(["revoked", "suspended", "not_approved"] as const).map((state) =>
          hashApiKey(secrets[state], { id: state, state }),
        ),
      ],
    });
  });
  afterAll(async () => {
    await running.close();
    expect(running.logged).toEqual([]);
  });

  async function ask(key: keyof typeof secrets, method: string, path: string, body?: object) {
    const response = await fetch(new URL(path, running.server.url), {
      method,
      headers: as(secrets[key]),
      ...(body && { body: JSON.stringify({ model: "tiny", ...body }) }),
    });
    const answer = (await response.json()) as { error?: { code: string; message: string } };
    return { status: response.status, code: answer.error?.code, message: answer.error?.message };
  }

  test("are its scopes, all by default; beyond them it is 403 scope_denied", async () => {
    const statuses = async (key: keyof typeof secrets) => {
      const answers = [
        await ask(key, "GET", "/v1/models"),
        await ask(key, "GET", "/v1/models/tiny/status"),
        await ask(key, "POST", "/v1/completions", { prompt: "a", max_tokens: 1 }),
        await ask(key, "POST", "/v1/jobs/completions", { prompt: "a", max_tokens: 1 }),
        await ask(key, "GET", "/v1/jobs/completions"),
      ];
      for (const { status, code } of answers) if (status >= 400) expect(code).toBe("scope_denied");
      return answers.map(({ status }) => status);
    };
    expect(await statuses("all")).toEqual([200, 200, 200, 202, 200]);
    expect(await statuses("reader")).toEqual([200, 200, 403, 403, 403]);
    expect(await statuses("worker")).toEqual([403, 403, 200, 202, 200]);
    expect(await statuses("nothing")).toEqual([403, 403, 403, 403, 403]);
    expect((await ask("reader", "POST", "/v1/completions", { prompt: "a" })).message).toBe(
      "this API key (reader) has not the scope completions; it has models",
    );
    // What needs no key needs no scope.
    expect((await ask("nothing", "GET", "/health")).status).toBe(200);
  });

  test("is nothing when it was revoked, or its account is not let in", async () => {
    for (const [key, code] of [
      ["revoked", "key_revoked"],
      ["suspended", "account_suspended"],
      ["not_approved", "account_not_approved"],
    ] as const) {
      expect(await ask(key, "GET", "/v1/models")).toMatchObject({ status: 401, code });
    }
  });
});

describe("a key file", () => {
  test("has neither the key nor equal hashes for equal keys", () => {
    const again = hashApiKey(keys.ann, { id: "ann" });
    expect(again.hash).not.toBe(records[0]!.hash);
    expect(JSON.stringify(records)).not.toMatch(/key-of/);
  });

  test("is not made of a key that no header can carry", async () => {
    for (const key of ["", "two words", "schlüssel"]) {
      expect(() => hashApiKey(key, { id: "ann" })).toThrow("the key of ann is empty, or has a character");
      await expect(startServer({ model: "/nowhere", apiKey: key })).rejects.toMatchObject({
        code: "api_keys_invalid",
      });
    }
  });

  test("that is wrong is refused before the server starts", async () => {
    const broken = join(folder, "broken.json");
    const [ann] = records;
    for (const [content, message] of [
      ["{", "the file is not JSON"],
      ["{}", /^apiKeys: keys: /],
      [JSON.stringify({ keys: [] }), /^apiKeys: keys: /],
      [JSON.stringify({ keys: [{ ...ann, hash: "00" }] }), /keys\.0\.hash: 32 bytes in lower-case hex/],
      [JSON.stringify({ keys: [{ ...ann, salt: "" }] }), /keys\.0\.salt: 16 bytes/],
      [JSON.stringify({ keys: [{ ...ann, id: "a/b" }] }), /keys\.0\.id: /],
      [JSON.stringify({ keys: [{ ...ann, key: keys.ann }] }), /keys\.0: /],
      [JSON.stringify({ keys: [ann, ann] }), "the id ann is there twice"],
    ] as const) {
      await writeFile(broken, content);
      const starting = startServer({ model: "/nowhere", apiKeys: broken });
      await expect(starting).rejects.toMatchObject({ code: "api_keys_invalid" });
      await expect(starting).rejects.toThrow(message);
      await expect(starting).rejects.not.toThrow(keys.ann);
    }
    await expect(startServer({ model: "/nowhere", apiKeys: join(folder, "none") })).rejects.toThrow(
      "the file cannot be read",
    );
    const clash = { model: "/nowhere", apiKey: "k", apiKeys: [{ ...ann!, id: "default" }] };
    await expect(startServer(clash)).rejects.toThrow("the id default is there twice");
  });
});
