import { lastK, meanOf, span } from "@residua/lens";
import { appendFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Rollout, RolloutOptions } from "../../../src/index.ts";
import type { Example } from "../../../src/examples/example.ts";
import { openDataset } from "../../../src/dataset/dataset-open.ts";
import { writeDataset } from "../../../src/dataset/write-dataset.ts";
import { memorySource } from "../../dataset/memory-source.ts";
import { warnings } from "../../warnings.ts";
import { freshFolder } from "../collect-helpers.ts";
import { bitsAt, MemoryLens, tokenIds } from "../memory-lens.ts";
import { examples, isLong, run } from "./run-rollouts.ts";

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
