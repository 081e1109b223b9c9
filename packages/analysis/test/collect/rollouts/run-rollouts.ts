import { collectRollouts, type Rollout, type RolloutOptions } from "../../../src/index.ts";
import type { Example } from "../../../src/examples/example.ts";
import { freshFolder } from "../collect-helpers.ts";
import type { MemoryLens } from "../memory-lens.ts";

export const examples: Example[] = [
  { id: "a", prompt: "the sky is", labels: { hard: false } },
  { id: "b", prompt: [0, 5, 9], labels: { hard: true }, group: "pair", split: "test" },
];

export const isLong = ({ generatedIds }: Rollout): boolean => generatedIds.length > 4;

const base = { n: 3, max_tokens: 8, layers: [1, 3], grade: isLong, select: "all" } as const;

/** Three rollouts of each example, into a fresh folder unless `to` names one. */
export const run = async (lens: MemoryLens, options: Partial<RolloutOptions> = {}, of = examples) =>
  collectRollouts(lens, of, { ...base, to: options.to ?? (await freshFolder()), ...options });
