import { InvalidRequestError, ResiduaError } from "@residua/lens";
import { describe, expect, test } from "vitest";
import type { Rollout } from "../../../src/index.ts";
import { freshFolder } from "../collect-helpers.ts";
import { MemoryLens } from "../memory-lens.ts";
import { isLong, run } from "./run-rollouts.ts";

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
