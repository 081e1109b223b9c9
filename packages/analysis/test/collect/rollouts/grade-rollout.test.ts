import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { withoutSecrets } from "../../../src/collect/without-secrets.ts";
import type { Rollout, RolloutOptions } from "../../../src/index.ts";
import { freshFolder } from "../collect-helpers.ts";
import { MemoryLens } from "../memory-lens.ts";
import { isLong, run } from "./run-rollouts.ts";

describe("a grade function", () => {
  test("that never ends does not hold up an abort", { timeout: 5000 }, async () => {
    const stop = new AbortController();
    const grade = () => {
      setTimeout(() => stop.abort(), 10);
      return new Promise<boolean>(() => undefined);
    };
    await expect(run(new MemoryLens(), { signal: stop.signal, grade })).rejects.toMatchObject({
      name: "AbortError",
    });
  });

  test("that changes what it is given changes nothing of what is captured", async () => {
    const captured: unknown[] = [];
    const lens = new MemoryLens({ onCapture: ({ prompt }) => void captured.push(prompt) });
    const sampled: number[][] = [];
    const dataset = await run(lens, {
      grade({ promptIds, generatedIds, example }) {
        sampled.push([...promptIds, ...generatedIds]);
        (generatedIds as number[]).splice(0, 9, 7);
        (promptIds as number[]).push(99);
        Object.assign(example, { group: "other" });
        Object.assign(example.labels, { hard: null });
        return true;
      },
    });
    expect(captured).toEqual(sampled);
    const rows = await dataset.readRows();
    expect(new Set(rows.map(({ group, labels }) => `${group} ${String(labels["hard"])}`))).toEqual(
      new Set(["a false", "pair true"]),
    );
  });

  test.each<[string, () => unknown, RegExp]>([
    ["undefined", () => undefined, /^grade returned undefined; allowed: a boolean, a finite/],
    ["NaN", () => NaN, /^grade returned NaN; /],
    ["a list", () => [1], /^grade returned a list; /],
    ["a label that is none", () => ({ a: 1, b: NaN }), /^grade returned { "a": 1, "b": NaN }; /],
    ["an exception without text", () => thrown(Object.create(null)), /no text/],
    ["an exception of odd fields", () => thrown(oddError()), /object/],
  ])("that gives %s is that rollout's failure, in plain words", async (_, odd, message) => {
    let count = 0;
    const grade = (() => (count++ === 0 ? odd() : true)) as RolloutOptions["grade"];
    const dataset = await run(new MemoryLens(), { grade });
    const failures = await dataset.failures();
    expect(failures).toHaveLength(1);
    expect(failures[0]?.stage).toBe("grade");
    expect(failures[0]?.message).toMatch(message);
    expect(new Set(await dataset.column("example")).size).toBe(5);
  });

  test("that mixes the types of a label fails in those rollouts, loses nothing sampled, and may be mended", async () => {
    const to = await freshFolder();
    let isMixed = true;
    const grade = ({ index, example }: Rollout) =>
      isMixed && index === 1 && example.id === "b" ? true : 0.5;
    const dataset = await run(new MemoryLens(), { to, grade });
    expect(await dataset.failures()).toMatchObject([
      {
        ...{ example: "b#1", stage: "grade", code: "bad_grade" },
        message:
          "grade gave a boolean for the label grade, and a number for most rollouts; allowed: one type a label",
      },
    ]);
    expect(new Set(await dataset.column("grade"))).toEqual(new Set([0.5]));
    isMixed = false;
    const lens = new MemoryLens();
    const mended = await run(lens, { to, grade });
    expect([lens.completions, lens.captures]).toEqual([0, 1]);
    expect(mended.manifest.failures).toBeUndefined();
    expect(mended.manifest.contentHash).toBe((await run(new MemoryLens(), { grade })).manifest.contentHash);
  });

  test.each([
    ["a column of every dataset", { group: "x" }, /a name other than .*group/],
    ["a column of rollouts", { seed: 3 }, /grade named a label seed, which is another column/],
    ["half of a surrogate pair", { a: "\uD800" }, /well-formed text/],
  ])("whose label is %s fails in that rollout", async (_, odd, message) => {
    let count = 0;
    const grade = (() => (count++ === 0 ? odd : true)) as RolloutOptions["grade"];
    const failures = await (await run(new MemoryLens(), { grade })).failures();
    expect(failures).toMatchObject([{ stage: "grade", code: "bad_grade" }]);
    expect(failures[0]?.message).toMatch(message);
  });

  test("whose error has a key in it: none reaches a file", async () => {
    vi.stubEnv("JUDGE_API_KEY", "of my own making/1");
    onTestFinished(() => void vi.unstubAllEnvs());
    const keys = [
      "of my own making/1",
      "of%20my%20own%20making%2F1",
      "sk-proj-0123456789abcdefXYZ",
      "aB3dE5gH7jK9",
    ];
    const texts = [
      `no credit for ${keys[0]}`,
      `GET https://judge/?q=${keys[1]}`,
      `401 of {"Authorization": "Bearer ${keys[3]}"}`,
      `{"apiKey":"${keys[3]}"} api_key=${keys[3]}`,
      `https://me:${keys[3]}@judge/ and ${keys[2]}`,
      JSON.stringify({ body: JSON.stringify({ token: keys[3] }) }),
    ];
    const to = await freshFolder();
    let count = 0;
    const grade = () => thrown(new Error(texts[count++]));
    const ran = run(new MemoryLens(), {
      to,
      concurrency: 1,
      grade: (rollout) => (count < 5 ? grade() : isLong(rollout)),
    });
    const failures = await (await ran).failures();
    expect(failures).toHaveLength(5);
    expect(failures[0]?.message).toBe("no credit for ***");
    for (const name of await readdir(to)) {
      const bytes = (await readFile(join(to, name))).toString("latin1");
      for (const key of keys) expect(bytes).not.toContain(key);
    }
    for (const text of texts) for (const key of keys) expect(withoutSecrets(text)).not.toContain(key);
    const plain = "the token 17 of 3: keyed by a:b, 4 tokens; https://host:8000/path";
    expect(withoutSecrets(plain)).toBe(plain);
  });

  test("that names a new label when a failed one is tried again adds its column, and loses nothing", async () => {
    const to = await freshFolder();
    let isDown = true;
    const grade = ({ example, index }: Rollout) => {
      if (example.id !== "b" || index !== 1) return { good: true };
      if (isDown) throw new Error("the grader is down");
      return { good: false, score: 5 };
    };
    const before = await run(new MemoryLens(), { to, grade, shardRows: 4 });
    const bits = await before.layerBits(3);
    isDown = false;
    const after = await run(new MemoryLens(), { to, grade, shardRows: 4 });
    expect(await after.failures()).toEqual([]);
    const rows = await after.readRows();
    const own = rows.filter(({ example }) => example === "b#1");
    expect(own.length).toBeGreaterThan(0);
    expect(own.every(({ labels }) => labels["score"] === 5 && labels["good"] === false)).toBe(true);
    const others = rows.filter(({ example }) => example !== "b#1");
    expect(others.every(({ labels }) => labels["score"] === null && labels["good"] === true)).toBe(true);
    const now = await after.layerBits(3);
    expect(others.flatMap(({ row }) => [...now.subarray(row * 8, row * 8 + 8)])).toEqual([...bits]);
    const fresh = await run(new MemoryLens(), { grade, shardRows: 4 });
    expect(rows).toEqual(await fresh.readRows());
  });
});

function thrown(error: unknown): never {
  throw error;
}

function oddError(): Error {
  return Object.defineProperty(new Error("m"), "message", { value: { a: 1 } });
}
