import { ResiduaError } from "@residua/lens";
import fc from "fast-check";
import { expect, test } from "vitest";
import { collect } from "../../src/collect/collect.ts";
import type { CollectOptions } from "../../src/collect/collect-options.ts";
import type { Example } from "../../src/examples/example.ts";
import { freshFolder } from "./collect-helpers.ts";
import { base } from "./collect-interrupted.ts";
import { MemoryLens } from "./memory-lens.ts";
import { someExamples } from "./some-examples.ts";

const run = async (lens: MemoryLens, examples: Example[], options: Partial<CollectOptions> = {}) =>
  collect(lens, examples, { ...base, ...options, to: options.to ?? (await freshFolder()) });

test(
  "whatever fails, stops and is asked again: the same rows in the end, nothing captured twice",
  { timeout: 180_000 },
  async () => {
    const step = fc.record({
      /** Examples that fail, by index. */
      failing: fc.uniqueArray(fc.nat(19), { maxLength: 8 }),
      /** The run is aborted when so many were captured. */
      stopAfter: fc.option(fc.nat(12)),
      concurrency: fc.integer({ min: 1, max: 4 }),
    });
    const undisturbed = await run(new MemoryLens(), someExamples(20), { select: { last: 2 } });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 4 }), async (steps) => {
        const to = await freshFolder();
        let captured = 0;
        let wasted = 0;
        for (const { failing, stopAfter, concurrency } of [
          ...steps,
          { failing: [], stopAfter: null, concurrency: 3 },
        ]) {
          const stop = new AbortController();
          let begun = 0;
          const lens = new MemoryLens({
            onCapture: ({ prompt }) => {
              if (begun++ === stopAfter) stop.abort();
              const key = JSON.stringify(prompt);
              if (failing.some((i) => JSON.stringify(someExamples(20)[i]?.prompt) === key))
                throw new ResiduaError("no_row", "not this one");
              captured++;
            },
          });
          const options = { to, select: { last: 2 }, concurrency, signal: stop.signal };
          await run(lens, someExamples(20), options).catch((error: unknown) => {
            if (!stop.signal.aborted) throw error;
            // Those under way, and those that had overtaken one of them.
            wasted += 5 * concurrency;
          });
        }
        const dataset = await run(new MemoryLens(), someExamples(20), { to, select: { last: 2 } });
        expect(dataset.manifest.contentHash).toBe(undisturbed.manifest.contentHash);
        expect(dataset.manifest.failures).toBeUndefined();
        expect(captured).toBeGreaterThanOrEqual(20);
        expect(captured).toBeLessThanOrEqual(20 + wasted);
        await dataset.validate();
      }),
      { numRuns: 12 },
    );
  },
);
