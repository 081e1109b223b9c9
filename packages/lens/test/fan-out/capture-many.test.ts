import { setTimeout as sleep } from "node:timers/promises";
import type { CompletionRequest, SampleProgress } from "@residua/client";
import { describe, expect, it } from "vitest";
import { rightAnswer } from "../replay-server.ts";
import { collect, lensAt } from "../lens-at.ts";

const layers = [1, 3];
const prompts = ["The sky", "The sea is", "A"];
/** Every row is one number, and no layer equals another. */
function fillRows(values: Float32Array, value: number): void {
  values.fill(value);
  values[0] = -1;
}
/** Each answer's rows say whose they are. */
const own = (sent: CompletionRequest) =>
  rightAnswer(sent, {
    change: (values) => fillRows(values, markOf(prompts.indexOf(sent.prompt as string), sent.seed ?? 0)),
  });
const markOf = (prompt: number, seed: number) => (prompt + 1) * 16 + seed;

describe("captureMany", () => {
  it("C10: one prompt and one choice a request, in the order p · n + i, with the seeds of the server's own children", async () => {
    const { lens, server } = await lensAt(own);
    const run = lens.captureMany({ model: "tiny", prompt: prompts, n: 2, seed: 7, temperature: 1, layers });
    const outcomes = await collect(run);
    expect(outcomes.map(({ index, prompt, choice, seed }) => [index, prompt, choice, seed])).toEqual([
      [0, 0, 0, 7],
      [1, 0, 1, 8],
      [2, 1, 0, 7],
      [3, 1, 1, 8],
      [4, 2, 0, 7],
      [5, 2, 1, 8],
    ]);
    for (const { prompt, seed, capture } of outcomes) {
      expect(capture?.row({ layer: 3, position: 0 })[5]).toBe(markOf(prompt, seed ?? NaN));
    }
    expect(server.requests).toHaveLength(6);
    for (const sent of server.requests) {
      expect(Object.keys(sent)).not.toContain("n");
      expect(typeof sent.prompt).toBe("string");
    }
    // 3 + 4 + 2 prompt tokens, each counted once, and 6 generated ones.
    expect(run.usage).toEqual({
      prompt_tokens: 9,
      completion_tokens: 6,
      total_tokens: 15,
      cached_tokens: undefined,
      counted: 6,
      uncounted: 0,
    });
  });

  it("draws seeds where nothing says them, each choice another, and repeats by them", async () => {
    const { lens, server } = await lensAt(own);
    const request = { model: "tiny", prompt: ["A", "A"], n: 2, temperature: 1, layers };
    const seeds = (await collect(lens.captureMany(request))).map(({ seed }) => seed ?? NaN);
    expect(seeds.map((seed) => seed - (seeds[0] ?? 0))).toEqual([0, 1, 2, 3]);
    expect(server.requests.map(({ seed }) => seed).sort()).toEqual([...seeds].sort());
    const again = await collect(lens.captureMany(request, { seed: seeds[0] ?? 0 }));
    expect(again.map(({ seed }) => seed)).toEqual(seeds);
    const other = await collect(lens.captureMany(request));
    expect(other.map(({ seed }) => seed)).not.toEqual(seeds);
  });

  it("sends no seed where nothing is sampled", async () => {
    const { lens, server } = await lensAt(own);
    const [outcome] = await collect(lens.captureMany({ model: "tiny", prompt: ["A"], layers }));
    expect(outcome?.seed).toBeUndefined();
    expect(server.requests[0]).not.toHaveProperty("seed");
    const own7 = await collect(lens.captureMany({ model: "tiny", prompt: ["A"], seed: 7, layers }));
    expect(own7[0]?.seed).toBe(7);
  });

  it("gives each failure in its place, sends nothing that cannot be, and goes on", async () => {
    const { lens, server } = await lensAt((sent) =>
      rightAnswer(sent, sent.prompt === "The sea is" ? { layers: [1] } : {}),
    );
    const requests = [
      { model: "tiny", prompt: "The sky", layers },
      { model: "tiny", prompt: "The sea is", layers },
      { model: "tiny", prompt: "A", layers: [9] },
      { model: "tiny", prompt: Array<number>(900_000).fill(5), layers: [0, 1, 2, 3, 4] },
      { model: "tiny", prompt: ["A", "B"], n: 0, layers },
      { model: "tiny", prompt: ["A", "B"], layers },
      null as never,
    ];
    const reports: SampleProgress[] = [];
    const outcomes = await collect(
      lens.captureMany(requests, { onProgress: (progress) => void reports.push(progress) }),
    );
    expect(outcomes.map(({ prompt, error }) => [prompt, error?.code ?? "captured"])).toEqual([
      [0, "captured"],
      [1, "layer_count"],
      [2, "invalid_request"],
      [3, "capture_too_large"],
      [4, "invalid_request"],
      [5, "captured"],
      [6, "captured"],
      [7, "invalid_request"],
    ]);
    expect(server.requests).toHaveLength(4);
    expect(outcomes[2]?.error?.message).toContain("0 to 4 (tiny has 5 layers");
    expect(reports.at(-1)).toMatchObject({ done: 8, total: 8, sent: 4 });
  });

  it("reads a list as it goes, and ends with what the list throws", async () => {
    const { lens, server } = await lensAt(own);
    let read = 0;
    function* endless() {
      for (;;) {
        read++;
        yield { model: "tiny", prompt: "A", layers };
      }
    }
    for await (const { index } of lens.captureMany(endless(), { concurrency: 2 })) if (index === 9) break;
    expect(read).toBeLessThan(20);
    expect(server.requests.length).toBeLessThan(20);
    function* broken() {
      yield { model: "tiny", prompt: "A", layers };
      throw new RangeError("the list broke");
    }
    await expect(collect(lens.captureMany(broken()))).rejects.toThrow("the list broke");
  });

  it("C26: a slow loop holds up the sending", async () => {
    const { lens, server } = await lensAt(own);
    const prompt = Array<string>(40).fill("A");
    for await (const { index } of lens.captureMany({ model: "tiny", prompt, layers }, { concurrency: 2 })) {
      if (index === 1) await sleep(100);
      if (index === 1) expect(server.requests.length).toBeLessThanOrEqual(6);
    }
    expect(server.requests).toHaveLength(40);
  });

  it("C12: sends no id of its own, and lets none be sent for several", async () => {
    const { lens, server } = await lensAt(own);
    const request = { model: "tiny", prompt: "A", layers };
    const [outcome] = await collect(lens.captureMany({ ...request, request_id: "x" } as typeof request));
    expect(outcome?.error?.message).toContain("steer each other");
    const headers = { "X-Request-ID": "x" };
    expect(() => lens.captureMany(request, { headers })).toThrow(
      "X-Request-ID would be that of every request",
    );
    expect(server.requests).toEqual([]);
  });

  it("splits what is too large where asked, and each part of a sampled one has the drawn seed", async () => {
    const { lens, server } = await lensAt((sent) =>
      rightAnswer(sent, { change: (values) => fillRows(values, (sent.prompt as number[])[0] ?? 0) }),
    );
    const request = {
      model: "tiny-uncatalogued",
      prompt: [Array<number>(682).fill(5), Array<number>(682).fill(6)],
      layers: [0, 1, 2],
    };
    const [refused] = await collect(lens.captureMany(request));
    expect(refused?.error).toMatchObject({ code: "capture_too_large" });
    expect(server.requests).toEqual([]);
    const run = lens.captureMany({ ...request, split: true });
    for (const { prompt, capture, error } of await collect(run)) {
      expect(error).toBeUndefined();
      expect(capture?.layers).toEqual([0, 1, 2]);
      expect(capture?.row({ layer: 2, position: 1 })[3]).toBe(prompt + 5);
    }
    expect(server.requests).toHaveLength(4);
    // Each of the two parts of each prompt.
    expect(run.usage).toMatchObject({ prompt_tokens: 4 * 682, completion_tokens: 4, counted: 4 });
    const sampled = await collect(lens.captureMany({ ...request, temperature: 1, split: true }));
    const seeds = server.requests.slice(4).map(({ prompt, seed }) => [(prompt as number[])[0], seed]);
    for (const { prompt, seed, error } of sampled) {
      expect(error).toBeUndefined();
      expect(seeds.filter(([first]) => first === prompt + 5)).toEqual([
        [prompt + 5, seed],
        [prompt + 5, seed],
      ]);
    }
  });

  it("counts the tokens of a split's parts once for each prompt", async () => {
    const { lens } = await lensAt((sent) => rightAnswer(sent));
    const request = { model: "tiny-uncatalogued", prompt: Array<number>(682).fill(5), layers: [0, 1, 2] };
    const two = lens.captureMany({ ...request, n: 2, temperature: 1, split: true }, { concurrency: 1 });
    await collect(two);
    // Two requests of two choices each.
    expect(two.usage).toMatchObject({ prompt_tokens: 2 * 682, completion_tokens: 4, counted: 4 });
  });

  it("a seed that is none is refused and not replaced", async () => {
    const { lens, server } = await lensAt(own);
    const request = { model: "tiny", prompt: "A", layers, temperature: 1, seed: "7" as unknown as number };
    const [outcome] = await collect(lens.captureMany(request));
    expect(outcome).toMatchObject({ seed: undefined, error: { code: "invalid_request" } });
    expect(server.requests).toEqual([]);
  });

  it("ends by the signal", async () => {
    const { lens } = await lensAt(own);
    const abort = new AbortController();
    const run = lens.captureMany(
      { model: "tiny", prompt: Array<string>(50).fill("A"), layers },
      {
        signal: abort.signal,
        concurrency: 1,
      },
    );
    await expect(
      (async () => {
        for await (const { index } of run) if (index === 2) abort.abort();
      })(),
    ).rejects.toMatchObject({ code: "aborted" });
  });

  it("gives outcomes as they finish when asked, each with its own prompt", async () => {
    const { lens } = await lensAt(own);
    const run = lens.captureMany({ model: "tiny", prompt: prompts, layers }, { ordered: false });
    const outcomes = await collect(run);
    expect(outcomes.map(({ index }) => index).sort()).toEqual([0, 1, 2]);
    for (const { prompt, capture } of outcomes)
      expect(capture?.row({ layer: 3, position: 0 })[0]).toBe(markOf(prompt, 0));
  });

  it("refuses options that do not go with captures", async () => {
    const { lens } = await lensAt(own);
    const request = { model: "tiny", prompt: "A", layers };
    for (const options of [{ journal: "x" }, { pack: true }, { concurency: 2 }, { window: 0 }, { seed: -1 }])
      expect(() => lens.captureMany(request, options as object), JSON.stringify(options)).toThrow(
        expect.objectContaining({ code: "invalid_option" }) as Error,
      );
  });

  it("C3: many at once each hold their own prompt's rows", async () => {
    const { lens } = await lensAt((sent) =>
      rightAnswer(sent, { change: (values) => fillRows(values, (sent.prompt as number[])[0] ?? 0) }),
    );
    const prompt = Array.from({ length: 64 }, (_, i) => [i + 1, 5]);
    for (const { index, capture } of await collect(lens.captureMany({ model: "tiny", prompt, layers })))
      expect(capture?.row({ layer: 3, position: 1 })).toEqual(new Float32Array(8).fill(index + 1));
  });
});
