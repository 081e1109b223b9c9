import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, createClient, type SampleManyOptions, type SampleOutcome } from "@residua/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { serve } from "../support.ts";

describe("many requests to the local server", () => {
  const running = serve();
  let client: Client;
  let folder: string;
  beforeAll(async () => {
    client = createClient({ baseURL: running.server.url });
    folder = await mkdtemp(join(tmpdir(), "residua-client-many-"));
  });
  afterAll(async () => {
    await client.close();
    await rm(folder, { recursive: true });
  });

  const cities = ["Paris", "Rome", "Lima", "Oslo", "Cairo", "Quito"];
  const requests = cities.map((city) => ({ model: "tiny", prompt: `${city} is in`, max_tokens: 4 }));

  async function sample(list: typeof requests, options: SampleManyOptions = {}): Promise<SampleOutcome[]> {
    const outcomes = [];
    for await (const outcome of client.completions.sampleMany(list, { ordered: true, ...options }))
      outcomes.push(outcome);
    return outcomes;
  }
  const texts = (outcomes: SampleOutcome[]) =>
    outcomes.map(({ completion, error }) => completion?.choices[0]?.text ?? error?.code);

  test("are held at its cap and all answered", async () => {
    const many = Array.from({ length: 10 }, () => requests).flat();
    let most = 0;
    const outcomes = await sample(many, {
      onProgress: ({ inFlight, concurrency }) => {
        most = Math.max(most, inFlight);
        expect(concurrency).toMatchObject({ cap: 16, source: "catalogue" });
      },
    });
    expect(most).toBeGreaterThan(8);
    expect(outcomes.every(({ completion }) => completion?.usage?.completion_tokens)).toBe(true);
  });

  test("choice i of a prompt has the seed + i, and every prompt the same, so that packs sample as singles", async () => {
    const same = Array.from({ length: 6 }, () => requests[0]!);
    const alone = texts(await sample(same, { seed: 7 }));
    expect(new Set(alone).size).toBeGreaterThan(1);
    const packed = await sample(same, { seed: 7, pack: true });
    expect(packed[0]).toMatchObject({ packed: { requests: 6 } });
    expect(texts(packed)).toEqual(alone);
    // One seed for all prompts.
    const seeded = requests.map((request) => ({ ...request, seed: 7 }));
    const together = await sample(seeded, { pack: true });
    expect(together[0]).toMatchObject({ packed: { requests: 6 } });
    expect(texts(together)).toEqual(texts(await sample(seeded)));
  });

  test("a pack's usage is shared out as it was counted", async () => {
    const packed = await sample(requests, { pack: true });
    const whole = await client.completions.create({
      ...{ model: "tiny", prompt: requests.map(({ prompt }) => prompt), max_tokens: 4 },
    });
    const sum = packed.reduce((total, { completion }) => total + (completion?.usage?.prompt_tokens ?? 0), 0);
    expect(sum).toBe(whole.usage?.prompt_tokens);
  });

  test("a prompt that is too long fails alone, out of a pack too", async () => {
    const list = [...requests];
    list[2] = { ...requests[2]!, prompt: "a ".repeat(5000) };
    for (const pack of [false, true]) {
      const outcomes = await sample(list, { pack });
      expect(outcomes.map(({ error }) => error !== undefined)).toEqual(cities.map((_, i) => i === 2));
    }
  });

  test("are resumed from a journal with the same answers", async () => {
    const options = { journal: join(folder, "run.jsonl"), seed: 1 };
    const first = await sample(requests.slice(0, 3), options);
    const second = await sample(requests, options);
    expect(second.map(({ resumed }) => resumed)).toEqual([true, true, true, ...Array<undefined>(3)]);
    expect(second.slice(0, 3).map(({ completion }) => completion)).toEqual(
      first.map(({ completion }) => completion),
    );
    expect(texts(second)).toEqual(texts(await sample(requests, { seed: 1 })));
  });
});
