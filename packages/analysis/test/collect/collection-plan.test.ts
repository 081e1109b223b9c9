import { type CapturePlan, InvalidRequestError, type PlanRequest } from "@residua/lens";
import { describe, expect, test } from "vitest";
import { collect, type CollectionPlan, planCollection } from "../../src/index.ts";
import { freshFolder } from "./collect-helpers.ts";
import { MemoryLens } from "./memory-lens.ts";

/** Plans two layers of eight numbers a token; `width` makes rows large. Prompts of over six ids never fit. */
function planning(width = 8): MemoryLens {
  return Object.assign(new MemoryLens(), {
    planCapture({ requests = [], layers }: PlanRequest): Promise<CapturePlan> {
      if (JSON.stringify(layers) === "[99]") {
        const issue = { field: "requests[0].layers", given: "99", allowed: "0 to 3" };
        return Promise.reject(new InvalidRequestError([issue]));
      }
      const bad = requests.findIndex(({ prompt }) => prompt[0] === 7);
      if (bad >= 0) {
        const issue = { field: `requests[${bad}].prompt[0]`, given: "7", allowed: "0 to 6" };
        return Promise.reject(new InvalidRequestError([issue]));
      }
      const each = requests.map(({ prompt }, index) => {
        const exact = { least: prompt.length, most: prompt.length };
        const numbers = { least: prompt.length * 2 * width, most: prompt.length * 2 * width };
        const fits = prompt.length > 6 ? ("never" as const) : ("fits" as const);
        const diskBytes = { least: numbers.least * 2, most: numbers.most * 2 };
        return {
          index,
          tokens: { ...exact, source: "ids" },
          fits,
          requests: [[1, 3]],
          numbers,
          diskBytes,
          reason: "too long",
        };
      });
      const sent = each.filter(({ fits }) => fits === "fits");
      const least = sent.reduce((sum, { numbers }) => sum + numbers.least, 0);
      const sum = { least, most: least };
      const plan = {
        captures: each,
        requests: sent.length,
        numbers: sum,
        wireBytes: sum,
        seconds: undefined,
        rate: undefined,
        basis: {},
      };
      return Promise.resolve(plan as unknown as CapturePlan);
    },
  });
}
const prompts = [[1, 2, 3], [7, 1], [1, 2, 3, 4, 5, 6, 1], [4]];
const examples = prompts.map((prompt) => ({ prompt }));
const base = { layers: [1, 3] };

describe("a plan", () => {
  test("counts what is selected, and names what can never be", async () => {
    const plan = await planCollection(planning(), examples, {
      ...base,
      to: await freshFolder(),
      select: { last: 2 },
    });
    expect(plan).toMatchObject({
      examples: 4,
      requests: 2,
      rows: { least: 3, most: 3 },
      numbers: { least: 64, most: 64 },
      diskBytes: { least: 3 * 32, most: 3 * 32 },
      tooLarge: [{ index: 2, example: "2", reason: "too long" }],
      problems: [{ index: 1, example: "1" }],
    });
    expect(plan.freeBytes).toBeGreaterThan(0);
  });

  test("is told before the first capture; what can never be fails without a request", async () => {
    const lens = planning();
    const plans: [CollectionPlan, number][] = [];
    const onPlan = (plan: CollectionPlan) => void plans.push([plan, lens.captures]);
    const dataset = await collect(lens, examples, { ...base, to: await freshFolder(), onPlan });
    expect(plans).toMatchObject([[{ examples: 4 }, 0]]);
    expect(lens.captures).toBe(2);
    expect(await dataset.failures()).toMatchObject([
      { example: "1", stage: "plan", code: "invalid_request" },
      {
        example: "2",
        stage: "plan",
        name: "CaptureLimitError",
        code: "capture_too_large",
        message: "too long",
      },
    ]);
  });

  test("that the disk has no room for is refused before the first capture", async () => {
    const lens = planning(1e15);
    const run = collect(lens, examples, { ...base, to: await freshFolder() });
    await expect(run).rejects.toMatchObject({ code: "disk_full" });
    await expect(run).rejects.toThrow(/Nothing was captured/);
    expect(lens.captures).toBe(0);
  });

  test("with a fault that all share ends the run, and so does what onPlan throws", async () => {
    const lens = planning();
    const wrong = collect(lens, examples, { layers: [99], to: await freshFolder() });
    await expect(wrong).rejects.toThrow(/layers/);
    const onPlan = () => {
      throw new Error("too dear");
    };
    await expect(collect(lens, examples, { ...base, to: await freshFolder(), onPlan })).rejects.toThrow(
      "too dear",
    );
    expect(lens.captures).toBe(0);
  });
});
