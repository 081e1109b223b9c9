import { createHash } from "node:crypto";
import type { CheckedExample } from "../../examples/example.ts";
import { hashExamples, type Plan } from "../dataset-plan.ts";
import type { RolloutSettings } from "./rollout-options.ts";

/** One completion that is to be sampled. */
export interface PlannedRollout {
  /** `example#number`. */
  id: string;
  example: CheckedExample;
  /** Which of the example's rollouts, from 0. */
  index: number;
  seed: number;
  /** Hash of what it is sampled by. */
  key: string;
  /** Hash of what its grade follows from. */
  gradeKey: string;
}

/** Every rollout of every example, in order. */
export function planRollouts(
  examples: readonly CheckedExample[],
  { rollouts, collect: { chat } }: RolloutSettings,
  server: { model: string; checkpoint: string | null; server: string | null },
): PlannedRollout[] {
  const { n, max_tokens, temperature, stop = null, seed: base, sampling, logprobs, gradeVersion } = rollouts;
  return examples.flatMap((example) => {
    const { id, prompt, messages, labels, extra } = example;
    const asked = [
      server,
      prompt,
      messages && [messages, chat],
      max_tokens,
      temperature,
      stop,
      sampling,
      logprobs,
    ];
    return Array.from({ length: n }, (_, index): PlannedRollout => {
      // The same whatever other examples there are, and in whatever order.
      const seed = Number.parseInt(hashOf([base, id, index]).slice(0, 8), 16) >>> 1;
      const key = hashOf(["residua-rollout-1", ...asked, seed]);
      const gradeKey = hashOf([gradeVersion, key, id, labels, extra]);
      return { id: `${id}#${index}`, example, index, seed, key, gradeKey };
    });
  });
}

/** What the plan says of them, so that another one can be told in words. */
export function rolloutFacts(
  examples: readonly CheckedExample[],
  { rollouts }: Pick<RolloutSettings, "rollouts">,
): NonNullable<Plan["rollouts"]> {
  const { n, max_tokens, temperature, stop, seed, sampling, logprobs, gradeVersion } = rollouts;
  const asked = { n, max_tokens, temperature, seed, sampling, logprobs, gradeVersion };
  return { ...asked, ...(stop !== undefined && { stop }), examplesHash: hashExamples(examples) };
}

function hashOf(parts: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 32);
}
