import { InvalidRequestError, lastK, meanOf, ResiduaError, span } from "@residua/lens";
import { appendFile, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { withoutSecrets } from "../../../src/collect/without-secrets.ts";
import { collectRollouts, type Rollout, type RolloutOptions } from "../../../src/index.ts";
import type { Example } from "../../../src/examples/example.ts";
import { openDataset } from "../../../src/dataset/dataset-open.ts";
import { writeDataset } from "../../../src/dataset/write-dataset.ts";
import { memorySource } from "../../dataset/memory-source.ts";
import { warnings } from "../../warnings.ts";
import { freshFolder } from "../collect-helpers.ts";
import { bitsAt, MemoryLens, tokenIds } from "../memory-lens.ts";

const examples: Example[] = [
  { id: "a", prompt: "the sky is", labels: { hard: false } },
  { id: "b", prompt: [0, 5, 9], labels: { hard: true }, group: "pair", split: "test" },
];
const isLong = ({ generatedIds }: Rollout): boolean => generatedIds.length > 4;
const base = { n: 3, max_tokens: 8, layers: [1, 3], grade: isLong, select: "all" } as const;
const run = async (lens: MemoryLens, options: Partial<RolloutOptions> = {}, of = examples) =>
  collectRollouts(lens, of, { ...base, to: options.to ?? (await freshFolder()), ...options });

describe("rollouts", () => {
  test("C22, C30: the ids that were sampled are the ids that are captured, not a text of them", async () => {
    const sampled: { prompt: readonly number[]; ids: number[] }[] = [];
    const captured: unknown[] = [];
    const lens = new MemoryLens({
      onCapture: ({ prompt, max_tokens }) => void captured.push([prompt, max_tokens]),
    });
    const dataset = await run(lens, {
      grade: (rollout) => {
        sampled.push({ prompt: rollout.promptIds, ids: [...rollout.generatedIds] });
        return isLong(rollout);
      },
    });
    const sent = sampled.map(({ prompt, ids }) => [[...prompt, ...ids], 1]);
    expect(captured).toHaveLength(6);
    expect(captured).toEqual(expect.arrayContaining(sent));
    // Each row is that of its own tokens, the last generated one among them.
    const [names, positions, all] = [
      await dataset.column("example"),
      await dataset.column("position"),
      await dataset.column("token_ids"),
    ];
    const bits = await dataset.layerBits(3);
    let ids: number[] = [];
    names.forEach((_, row) => {
      ids = (all[row] as number[] | null) ?? ids;
      const expected = bitsAt(ids, 3, positions[row] as number, 8);
      expect(bits.subarray(row * 8, row * 8 + 8)).toEqual(expected);
    });
    expect(positions.filter((position) => position === 0)).toHaveLength(6);
    expect(dataset.rows).toBe(sent.reduce((sum, [prompt]) => sum + (prompt as number[]).length, 0));
  });

  test("a rollout is an example in the group of its prompt, with its grade, seed and reason; generated tokens are marked", async () => {
    const dataset = await run(new MemoryLens(), { logprobs: true });
    const rows = await dataset.readRows();
    expect([...new Set(rows.map(({ example }) => example))]).toEqual([
      "a#0",
      "a#1",
      "a#2",
      "b#0",
      "b#1",
      "b#2",
    ]);
    expect(new Set(rows.map(({ example, group }) => `${example[0]} ${group}`))).toEqual(
      new Set(["a a", "b pair"]),
    );
    const lengths = await dataset.column("prompt_length");
    const texts = await dataset.column("text");
    let length = 0;
    rows.forEach(({ row, role, position, labels, extra, example, split }) => {
      length = (lengths[row] as number | null) ?? length;
      expect(role).toBe((position ?? 0) < length ? "prompt" : "generated");
      expect(labels["hard"]).toBe(example.startsWith("b"));
      expect(typeof labels["grade"]).toBe("boolean");
      expect(split).toBe(example.startsWith("b") ? "test" : null);
      expect(extra).toMatchObject({ source: example[0], rollout: Number(example.slice(2)) });
      expect(extra["logprob"]).toBeLessThan(0);
      expect(["stop", "length"]).toContain(extra["finish_reason"]);
    });
    expect(lengths.filter((length) => length !== null)).toEqual([11, 11, 11, 3, 3, 3]);
    expect(texts[0]).toMatch(/^the sky is w/);
    expect(new Set(rows.map(({ extra }) => extra["seed"])).size).toBe(6);
  });

  test("selections by role mean the tokens as they were sampled; the last generated token has its row", async () => {
    const generated = await run(new MemoryLens(), { select: span({ role: "generated" }) });
    expect(new Set(await generated.column("role"))).toEqual(new Set(["generated"]));
    const last = await run(new MemoryLens(), { select: lastK(1, { of: "prompt" }) });
    expect(await last.column("position")).toEqual([10, 10, 10, 2, 2, 2]);
    const pooled = await run(new MemoryLens(), { select: meanOf(span({ role: "generated" })) });
    expect(pooled).toMatchObject({ rows: 6, dtype: "float32" });
    expect(await pooled.column("position")).toEqual([null, null, null, null, null, null]);
    const final = await run(new MemoryLens(), { select: "last" });
    const ids = await final.column("token_ids");
    expect(await final.column("position")).toEqual(ids.map((list) => (list as number[]).length - 1));
  });

  test("several labels, none, and labels that are only sometimes given", async () => {
    const dataset = await run(new MemoryLens(), {
      select: "last",
      grade: ({ index, example }) =>
        index === 0 ? null : { right: index === 1, score: example.id === "a" ? 0.5 : null },
    });
    expect(await dataset.column("right")).toEqual([null, true, false, null, true, false]);
    expect(await dataset.column("score")).toEqual([null, 0.5, 0.5, null, null, null]);
  });

  test("a label of the examples stays theirs where the grade gives it no value", async () => {
    const labelled: Example[] = [true, false, true].map((truth, i) => ({
      id: `e${i}`,
      prompt: [0, i + 1],
      labels: { truth },
    }));
    const options = { n: 2, select: "last" } as const;
    const truth = async (grade: RolloutOptions["grade"]) =>
      (await run(new MemoryLens(), { ...options, grade }, labelled)).column("truth");
    const own = [true, true, false, false, true, true];
    expect(await truth(() => null)).toEqual(own);
    expect(await truth(() => ({ truth: null, sure: 1 }))).toEqual(own);
    const first = ({ index }: Rollout) => (index === 0 ? { truth: false } : null);
    expect(await truth(first)).toEqual([false, true, false, false, false, true]);
  });

  test("a grade of another type than the examples' label, and one that another column is in the way of now, fail alone", async () => {
    const to = await freshFolder();
    const grade = ({ index }: Rollout) => ({ hard: index === 0 ? false : 3, topic: "x" });
    const dataset = await run(new MemoryLens(), { to, grade });
    const failures = await dataset.failures();
    // The examples' type counts, not that of most grades.
    expect(failures.map(({ example }) => example)).toEqual(["a#1", "a#2", "b#1", "b#2"]);
    expect(failures[0]).toMatchObject({
      ...{ stage: "grade", code: "bad_grade" },
      message:
        "grade gave a number for the label hard, and the examples have a boolean; allowed: one type a label",
    });
    const more: Example[] = [
      ...examples,
      { id: "c", prompt: "new", labels: { hard: true }, extra: { topic: "y" } },
    ];
    const mended = { grade: () => ({ mark: 1 }), reuse: [to] };
    const lens = new MemoryLens();
    const graded = await run(lens, mended, more);
    expect(lens.completions).toBe(3);
    expect(await graded.failures()).toEqual([]);
    expect(graded.columns).toContain("mark");
  });

  test("a folder that was stopped while it was sampled or graded is not ready, says so, and its samples are reused", async () => {
    const to = await freshFolder();
    const stop = new AbortController();
    const grade = () => {
      stop.abort();
      return true;
    };
    const stopped = run(new MemoryLens(), { to, grade, signal: stop.signal });
    await expect(stopped).rejects.toMatchObject({ name: "AbortError" });
    await expect(openDataset(to)).rejects.toMatchObject({
      code: "dataset_incomplete",
      message: expect.stringMatching(
        /Run the same collectRollouts again: what is in rollouts\.jsonl/,
      ) as string,
    });
    const onto = writeDataset(to, memorySource({ rows: 3, dtype: "bfloat16" }), { how: "test", from: [] });
    await expect(onto).rejects.toMatchObject({ code: "dataset_differs" });
    const lens = new MemoryLens();
    await run(lens, { reuse: [to] });
    expect(lens.completions).toBe(0);
  });

  test("another run of the same is opened; the same seeds give the same rollouts wherever an example stands", async () => {
    const to = await freshFolder();
    const first = await run(new MemoryLens(), { to });
    const lens = new MemoryLens();
    expect((await run(lens, { to })).manifest).toEqual(first.manifest);
    expect([lens.completions, lens.captures]).toEqual([0, 0]);
    const other = new MemoryLens();
    const more = [{ id: "new", prompt: "grass", labels: { hard: true } }, ...[...examples].reverse()];
    const dataset = await run(other, { reuse: [to] }, more);
    expect([other.completions, other.captures]).toEqual([3, 3]);
    const seeds = async (of: typeof dataset) =>
      new Map((await of.readRows()).map(({ example, extra }) => [example, extra["seed"]]));
    const before = await seeds(first);
    for (const [example, seed] of await seeds(dataset))
      if (before.has(example)) expect(seed).toBe(before.get(example));
  });

  test("graded anew by another version, without a sample", async () => {
    const to = await freshFolder();
    await run(new MemoryLens(), { to });
    await expect(run(new MemoryLens(), { to, gradeVersion: "2" })).rejects.toMatchObject({
      code: "dataset_differs",
    });
    const lens = new MemoryLens();
    let graded = 0;
    const dataset = await run(lens, { reuse: [to], gradeVersion: "2", grade: () => ++graded, select: "all" });
    expect([lens.completions, lens.captures, graded]).toEqual([0, 0, 6]);
    expect(new Set(await dataset.column("grade")).size).toBe(6);
  });
});

describe("what fails", () => {
  test("an exception of the grade is that rollout's failure, tried again by the next call", async () => {
    const to = await freshFolder();
    const grade = (rollout: Rollout) => {
      if (rollout.example.id === "b" && rollout.index === 1) throw new TypeError("cannot grade");
      return isLong(rollout);
    };
    const dataset = await run(new MemoryLens(), { to, grade });
    expect(await dataset.failures()).toMatchObject([
      { example: "b#1", index: 4, stage: "grade", name: "TypeError", code: null, message: "cannot grade" },
    ]);
    const lens = new MemoryLens();
    const again = await run(lens, { to });
    expect([lens.completions, lens.captures]).toEqual([0, 1]);
    expect(again.manifest.failures).toBeUndefined();
    expect(again.manifest.contentHash).toBe((await run(new MemoryLens())).manifest.contentHash);
  });

  test("a rollout that cannot be sampled is recorded; the others go on", async () => {
    const to = await freshFolder();
    let count = 0;
    const lens = new MemoryLens({
      onGenerate: () => {
        if (count++ === 2) throw new ResiduaError("http_500", "lost");
      },
    });
    const dataset = await run(lens, { to, concurrency: 1 });
    expect(await dataset.failures()).toMatchObject([{ example: "a#2", stage: "sample", code: "http_500" }]);
    const other = new MemoryLens();
    const again = await run(other, { to });
    expect([other.completions, other.captures]).toEqual([1, 1]);
    expect(again.manifest.contentHash).toBe((await run(new MemoryLens())).manifest.contentHash);
  });

  test("one whose prompt ran with two BOS tokens is not kept, and is sampled again", async () => {
    class BosLens extends MemoryLens {
      doubled = true;
      override async describe(model?: string) {
        return { ...(await super.describe(model)), bosTokenId: { value: 0, source: "catalogue" as const } };
      }
      override async generate(request: { prompt: unknown }) {
        const answer = await super.generate(request);
        const choice = answer.choices[0] as { prompt_token_ids?: number[] };
        if (this.doubled && typeof request.prompt === "string") choice.prompt_token_ids!.unshift(0);
        return answer;
      }
    }
    const to = await freshFolder();
    const lens = new BosLens();
    const dataset = await run(lens, { to });
    expect(await dataset.failures()).toMatchObject(
      [0, 1, 2].map((i) => ({ example: `a#${i}`, stage: "sample", code: "double_bos" })),
    );
    lens.doubled = false;
    const again = await run(lens, { to });
    expect(lens.completions).toBe(9);
    expect(again.manifest.contentHash).toBe((await run(new MemoryLens())).manifest.contentHash);
  });

  test("a server that does not tell ids is refused by name, after one request each", async () => {
    const lens = new MemoryLens({ tellsIds: false });
    await expect(run(lens, { concurrency: 2 })).rejects.toMatchObject({ code: "token_ids_unknown" });
    expect(lens.completions).toBe(2);
  });

  test("a grade that is none", async () => {
    const grade = (() => [1, 2]) as unknown as () => boolean;
    await expect(run(new MemoryLens(), { grade })).rejects.toMatchObject({ code: "no_rows" });
  });

  test.each<[string, object]>([
    ["n at temperature 0", { temperature: 0 }],
    ["no grade", { grade: "yes" }],
    ["a field with an option of its own", { sampling: { seed: 3 } }],
    ["another model in the sampling", { sampling: { model: "zzz" } }],
    ["an echo", { sampling: { echo: true, top_p: 0.9 } }],
    ["several answers", { sampling: { best_of: 3 } }],
    ["a captured request", { sampling: { layers: [1] } }],
    ["an unknown option", { samples: 3 }],
  ])("refuses %s", async (_, options) => {
    const lens = new MemoryLens();
    await expect(run(lens, options)).rejects.toBeInstanceOf(InvalidRequestError);
    expect(lens.completions).toBe(0);
  });
});

test("sampling that cannot go is named, all of it", async () => {
  const sampling = { echo: true, top_p: 1, model: "zzz" };
  await expect(run(new MemoryLens(), { sampling })).rejects.toThrow(
    /sampling\.echo: .*which ids were generated.*sampling\.model: .*an option of its own/s,
  );
});

test.each<[string, Partial<Example>]>([
  ["labels.seed", { labels: { seed: 1 } }],
  ["labels.finish_reason", { labels: { finish_reason: "x" } }],
  ["extra.source", { extra: { source: "wiki" } }],
])("examples whose %s a rollout has are refused before anything is sampled", async (field, part) => {
  const lens = new MemoryLens();
  const ran = run(lens, {}, [{ id: "a", prompt: "x", ...part } as Example]);
  await expect(ran).rejects.toThrow(`examples[*].${field}: a column that rollouts have`);
  expect(lens.completions).toBe(0);
});

test.each<[string, Partial<RolloutOptions>, string]>([
  ["temperature", { temperature: 0.5 }, "rollouts of temperature 1, not 0.5"],
  ["seed", { seed: 7 }, "rollouts of seed 0, not 7"],
  ["sampling", { sampling: { top_p: 0.5 } }, 'rollouts of sampling {}, not {"top_p":0.5}'],
  ["stop", { stop: "x" }, 'rollouts of stop null, not "x"'],
  ["gradeVersion", { gradeVersion: "2" }, 'rollouts of gradeVersion "1", not "2"'],
  ["n", { n: 2 }, "examples 6, not 4; rollouts of n 3, not 2"],
])("a folder of another %s is refused with that reason", async (_, change, difference) => {
  const to = await freshFolder();
  await run(new MemoryLens(), { to, select: "last" });
  const other = run(new MemoryLens(), { to, select: "last", ...change });
  await expect(other).rejects.toMatchObject({ found: `a dataset of another plan: ${difference}` });
});

test("a folder of rollouts of other examples is refused with that reason alone", async () => {
  const to = await freshFolder();
  await run(new MemoryLens(), { to, select: "last" });
  const [a, b] = examples as [Example, Example];
  const other = run(new MemoryLens(), { to, select: "last" }, [a, { ...b, group: "x" }]);
  await expect(other).rejects.toMatchObject({
    found: expect.stringMatching(/^a dataset of another plan: other examples \(ids, [^;]*$/) as string,
  });
});

test("a lens that tokenises what it is sent anew is found out (C22, C30)", async () => {
  class Retokenising extends MemoryLens {
    override compute(request: Parameters<MemoryLens["compute"]>[0]) {
      return super.compute({ ...request, prompt: [0, ...tokenIds(request.prompt)] });
    }
  }
  await expect(run(new Retokenising())).rejects.toThrow(
    /14 token ids were sent and 15 captured|\d+ captured/,
  );
});

test("a journal cut at any byte: what is whole is neither sampled nor graded again", async () => {
  const to = await freshFolder();
  const undisturbed = await run(new MemoryLens(), { to });
  const journal = await readFile(join(to, "rollouts.jsonl"));
  for (let length = 0; length < journal.length; length += 211) {
    const copy = await freshFolder();
    await writeFile(join(copy, "rollouts.jsonl"), journal.subarray(0, length));
    const whole = journal.subarray(0, length).toString().split("\n").slice(0, -1);
    const lens = new MemoryLens();
    const dataset = await run(lens, { to: copy });
    expect(dataset.manifest.contentHash).toBe(undisturbed.manifest.contentHash);
    expect(lens.completions).toBe(6 - whole.filter((line) => line.includes('"kind":"sample"')).length);
  }
  await appendFile(join(to, "rollouts.jsonl"), "rubbish");
  expect((await run(new MemoryLens(), { to })).manifest).toEqual(undisturbed.manifest);
});

test("a bit of the journal that is another: that rollout is sampled or graded again, and it is told", async () => {
  const to = await freshFolder();
  const undisturbed = await run(new MemoryLens(), { to });
  const text = await readFile(join(to, "rollouts.jsonl"), "utf8");
  const change = async (from: RegExp): Promise<string> => {
    const copy = await freshFolder();
    const at = text.search(from) + 1;
    // One digit for another: JSON as before.
    const digit = String.fromCharCode(text.charCodeAt(at) ^ 1);
    await writeFile(join(copy, "rollouts.jsonl"), text.slice(0, at) + digit + text.slice(at + 1));
    return copy;
  };
  const warned = warnings();
  const [sampled, graded] = [new MemoryLens(), new MemoryLens()];
  const ids = await run(sampled, { to: await change(/(?<="generatedIds":)\[\d/) });
  const grades = await run(graded, { to: await change(/(?<="version":)"\d/) });
  for (const { manifest } of [ids, grades])
    expect(manifest.contentHash).toBe(undisturbed.manifest.contentHash);
  expect([sampled.completions, graded.completions]).toEqual([1, 0]);
  expect(warned()).toHaveLength(2);
  expect(warned()[0]).toMatch(/rollouts\.jsonl: lines that are not as they were written: 1/);
});

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
