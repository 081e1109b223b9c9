import { ResiduaError } from "@residua/lens";
import { expect } from "vitest";
import type { CollectOptions } from "../../src/collect/collect-options.ts";
import { collect } from "../../src/collect/collect.ts";
import { MemoryLens } from "./memory-lens.ts";
import { someExamples } from "./some-examples.ts";

export const base = { layers: [1, 3], shardRows: 4 } as const;

/** Collects until the example of this index is asked for, and fails there. */
export async function interrupted(
  folder: string,
  at: number,
  options: Partial<CollectOptions> = {},
): Promise<MemoryLens> {
  let seen = 0;
  const lens = new MemoryLens({
    onCapture: () => {
      if (seen++ === at) throw new ResiduaError("capture_too_large", "too many numbers");
    },
  });
  const run = collect(lens, someExamples(20), {
    ...base,
    to: folder,
    concurrency: 1,
    failFast: true,
    ...options,
  });
  await expect(run).rejects.toThrow(`example "e${at}": too many numbers`);
  return lens;
}
