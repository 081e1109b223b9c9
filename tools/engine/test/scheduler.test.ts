import { beforeAll, describe, expect, test } from "vitest";
import { tensorCount } from "../src/backend.ts";
import type { Network } from "../src/forward.ts";
import type { GenerationRequest } from "../src/generation-request.ts";
import { Scheduler } from "../src/scheduler.ts";
import type { Tokenizer } from "../src/tokenizer.ts";
import { mixedRequests } from "./mixed-requests.ts";
import { endlessTiny, someVector } from "./support.ts";

let network: Network;
let tokenizer: Tokenizer;

beforeAll(async () => {
  ({ network, tokenizer } = await endlessTiny());
});

const make = (limits?: ConstructorParameters<typeof Scheduler>[2]) =>
  new Scheduler(network, tokenizer, limits);

describe("requests that share passes", () => {
  test("give the same bits as alone: tokens, log probabilities, captures", async () => {
    const together = make();
    const packed = await Promise.all(mixedRequests().map((request) => together.submit(request)));
    for (const [i, request] of mixedRequests().entries()) {
      const alone = await make().submit(request);
      expect(packed[i]).toEqual(alone);
    }
  });

  test("a steered request and its unsteered twin in one pass do not touch each other", async () => {
    const scheduler = make();
    const plain = { prompt: [0, 265, 313, 295], maxTokens: 4, temperature: 0, capture: [0, 1, 2, 3, 4] };
    const rows = someVector(96, 7);
    const steering = [{ layers: [1], rows, positions: null, scale: 4, normMatch: false }];
    const [steered, twin] = await Promise.all([
      scheduler.submit({ ...plain, steering }),
      scheduler.submit(plain),
    ]);
    const alone = await make().submit(plain);
    expect(twin).toEqual(alone);
    expect(steered.capture!.values[1]).not.toEqual(alone.capture!.values[1]);
  });

  test("the same holds when passes are short and few choices run at once", async () => {
    const narrow = make({ passTokens: 3, sequences: 2, cacheBytes: 1, prefixBytes: 0 });
    const results = await Promise.all(mixedRequests().map((request) => narrow.submit(request)));
    const wide = make();
    expect(results).toEqual(await Promise.all(mixedRequests().map((request) => wide.submit(request))));
  });

  test("a request that arrives while another runs joins it, and neither changes", async () => {
    const scheduler = make();
    const [first, second] = mixedRequests().slice(4, 6) as [GenerationRequest, GenerationRequest];
    const long = { ...first, n: 1, maxTokens: 40 };
    let late: Promise<unknown> | null = null;
    const running = scheduler.submit(long);
    await new Promise((resolve) => setTimeout(resolve, 5));
    late = scheduler.submit(second);
    expect([await running, await late]).toEqual([await make().submit(long), await make().submit(second)]);
  });
});

test("equal seeds give equal tokens, other seeds others; choice j is the first choice of seed + j", async () => {
  const request = { prompt: [0, 265], maxTokens: 12, temperature: 1.5 };
  const run = async (seed: number, n = 1) =>
    (await make().submit({ ...request, seed, n })).choices.map(({ tokens }) => tokens);
  const three = await run(7, 3);
  expect(three).toEqual([...(await run(7)), ...(await run(8)), ...(await run(9))]);
  expect(new Set(three.map(String)).size).toBe(3);
});

describe("a saturated scheduler", () => {
  /** Runs requests one choice at a time; says in which order their choices began. */
  async function order(requests: { name: string; priority?: number; n?: number }[]): Promise<string[]> {
    const scheduler = make({ passTokens: 64, sequences: 1, cacheBytes: 1e9, prefixBytes: 0 });
    const began: string[] = [];
    const first = scheduler.submit({ prompt: [0], maxTokens: 20, seed: 1 });
    const others = requests.map(({ name, ...rest }) =>
      scheduler.submit({
        prompt: [0, 5],
        maxTokens: 2,
        seed: 1,
        ...rest,
        onToken: ({ choice }) => {
          const place = `${name}${choice}`;
          if (!began.includes(place)) began.push(place);
        },
      }),
    );
    await Promise.all([first, ...others]);
    return began;
  }

  test("starts a lower priority first, equal ones and those without by arrival", async () => {
    const requests = [
      { name: "a", priority: 2 },
      { name: "b" },
      { name: "c", priority: 1 },
      { name: "d", priority: 0 },
      { name: "e", priority: 1 },
      { name: "f", priority: 2 ** 53 - 1 },
    ];
    // The request that fills the scheduler came first, and so did b's of its priority.
    expect(await order(requests)).toEqual(["b0", "d0", "c0", "e0", "a0", "f0"]);
  });

  test("lets no later request overtake the choices of an earlier one, but an urgent one", async () => {
    const requests = [
      { name: "a", n: 3, priority: 5 },
      { name: "b", priority: 5 },
    ];
    expect(await order(requests)).toEqual(["a0", "a1", "a2", "b0"]);
    expect(await order([...requests, { name: "c", priority: 4 }])).toEqual(["c0", "a0", "a1", "a2", "b0"]);
  });
});

test("no tensor stays behind a request", async () => {
  const scheduler = make();
  await scheduler.submit({ prompt: [0, 1], maxTokens: 1 });
  const before = tensorCount();
  for (let i = 0; i < 3; i++) {
    await Promise.all(mixedRequests().map((request) => scheduler.submit(request)));
    expect(tensorCount()).toBe(before);
  }
});

describe("ending", () => {
  test("an aborted request rejects with the reason; the others go on", async () => {
    const scheduler = make();
    const stop = new AbortController();
    const reason = new Error("enough");
    const aborted = scheduler.submit({ prompt: [0], maxTokens: 1000, seed: 1, signal: stop.signal });
    const other = scheduler.submit({ prompt: [0, 3], maxTokens: 30, seed: 2 });
    setTimeout(() => stop.abort(reason), 5);
    await expect(aborted).rejects.toBe(reason);
    expect((await other).choices[0]!.tokens.length).toBe(30);
    await expect(scheduler.submit({ prompt: [0], maxTokens: 1, signal: stop.signal })).rejects.toBe(reason);
  });

  test("steering that breaks the scores ends its own request with an error that says so", async () => {
    const scheduler = make();
    const rows = new Float32Array(96).fill(1e38);
    const steering = [{ layers: [0], rows, positions: null, scale: 1e30, normMatch: false }];
    const broken = scheduler.submit({ prompt: [0, 5], maxTokens: 2, steering });
    const whole = scheduler.submit({ prompt: [0, 5], maxTokens: 2, temperature: 0 });
    await expect(broken).rejects.toMatchObject({ code: "not_finite", data: { field: "steering" } });
    expect(await whole).toEqual(await make().submit({ prompt: [0, 5], maxTokens: 2, temperature: 0 }));
  });

  test("closing rejects what is under way and what comes later", async () => {
    const scheduler = make();
    const running = scheduler.submit({ prompt: [0], maxTokens: 500 });
    const rejected = expect(running).rejects.toMatchObject({ code: "model_disposed" });
    await scheduler.close();
    await rejected;
    await expect(scheduler.submit({ prompt: [0], maxTokens: 1 })).rejects.toMatchObject({
      code: "model_disposed",
    });
  });
});
