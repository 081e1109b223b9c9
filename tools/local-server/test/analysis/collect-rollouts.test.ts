import { loadModel, openLocal, type Model } from "@residua/engine";
import { collectRollouts, type Rollout } from "@residua/analysis";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { serve, tinyModel } from "../support.ts";
import { post } from "../vllm/vllm-support.ts";
import { freshFolder, lensAt, statements } from "./collect-support.ts";

const examples = statements(3);
const base = { n: 2, max_tokens: 9, temperature: 2, layers: [1, 3], select: "all" } as const;
const isLong = ({ generatedIds }: Rollout): boolean => generatedIds.length > 6;

describe("rollouts at the local server, profile vllm", () => {
  const running = serve({ profile: "vllm" });

  test("C22, C30: rows are of the tokens that were sampled, also where their text has other tokens", async () => {
    const lens = lensAt(running.server.url);
    const rollouts: Rollout[] = [];
    const grade = (rollout: Rollout) => rollouts.push(rollout) % 2 === 0;
    const dataset = await collectRollouts(lens, examples, { ...base, to: await freshFolder(), grade });
    expect(rollouts).toHaveLength(6);
    // What the same text would be as tokens.
    const retokenised = await Promise.all(
      rollouts.map(async ({ promptText, text }) => {
        const body = { prompt: `${promptText}${text}` };
        return (await post<{ tokens: number[] }>(running.server.url, "/tokenize", body)).body.tokens;
      }),
    );
    const sent = rollouts.map(({ promptIds, generatedIds }) => [...promptIds, ...generatedIds]);
    const others = retokenised.filter((ids, i) => String(ids) !== String(sent[i]));
    expect(others.length).toBeGreaterThan(1);

    const [names, ids, positions] = [
      await dataset.column("example"),
      await dataset.column("token_ids"),
      await dataset.column("position"),
    ];
    const stored = await dataset.layer(3);
    for (const { example, index, promptIds, generatedIds, seed } of rollouts) {
      const first = names.indexOf(`${example.id}#${index}`);
      const all = [...promptIds, ...generatedIds];
      expect(ids[first]).toEqual(all);
      const capture = await lens.capture({ prompt: all, layers: [3] });
      const rows = stored.subarray(first * dataset.hiddenSize, (first + all.length) * dataset.hiddenSize);
      expect(rows).toEqual(capture.layer(3));
      expect(positions[first + all.length - 1]).toBe(all.length - 1);
      // The stream that the server had while it sampled is the same, but for the order of its sums.
      const sampling = { prompt: example.prompt as string, max_tokens: 9, temperature: 2, seed, layers: [3] };
      const then = (await lens.capture(sampling)).layer(3);
      const most = Math.max(...then.map((value, i) => Math.abs(value - (rows[i] as number))));
      expect(then.length).toBe(rows.length - dataset.hiddenSize);
      expect(most).toBeLessThan(0.05);
    }
  });

  test("groups stay whole, and the roles are those of the sampling", async () => {
    const options = { ...base, to: await freshFolder(), grade: isLong };
    const dataset = await collectRollouts(lensAt(running.server.url), examples, options);
    const rows = await dataset.readRows();
    const lengths = await dataset.column("prompt_length");
    let length = 0;
    for (const { row, position, role, group, extra } of rows) {
      length = (lengths[row] as number | null) ?? length;
      expect(role).toBe((position as number) < length ? "prompt" : "generated");
      expect(examples.find(({ id }) => id === extra["source"])?.group).toBe(group);
    }
    expect(new Set(await dataset.column("finish_reason")).size).toBeGreaterThan(0);
  });
});

test("a server of profile acs does not tell ids: refused by name before a second round of requests", async () => {
  const { startServer } = await import("../../src/index.ts");
  const server = await startServer({ model: tinyModel });
  try {
    const options = { ...base, to: await freshFolder(), grade: isLong, concurrency: 2 };
    const run = collectRollouts(lensAt(server.url, "acs"), examples, options);
    await expect(run).rejects.toMatchObject({ code: "token_ids_unknown" });
  } finally {
    await server.close();
  }
});

describe("rollouts of a model in this process", () => {
  let model: Model;
  beforeAll(async () => {
    model = await loadModel(tinyModel);
  });
  afterAll(() => model.dispose());

  test("are the same tokens and rows as those of its server", async () => {
    const local = await openLocal(model, { modelId: "tiny" });
    const options = { ...base, layers: [-1, 3], to: await freshFolder(), grade: isLong };
    const dataset = await collectRollouts(local, examples, options);
    expect(dataset.layers).toEqual([-1, 3]);
    expect(new Set(await dataset.column("example")).size).toBe(6);
    const ids = (await dataset.column("token_ids")).find((list) => list !== null) as number[];
    const capture = await local.capture({ prompt: ids, layers: [-1] });
    expect((await dataset.layer(-1)).subarray(0, ids.length * dataset.hiddenSize)).toEqual(capture.layer(-1));
  });
});
