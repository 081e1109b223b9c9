import { z } from "zod";
import type { SteeredScale } from "../../results/steering-evaluation.ts";

/** From where on a scale counts as damage; null leaves a measure out. What was not measured damages nothing. */
export interface DamageLimits {
  /** Perplexity of neutral text over its value at scale 0 (1.5). */
  perplexityRatio: number | null;
  /** Share of valid answers over the share at scale 0, at least (0.95). */
  valid: number | null;
  /** Share of generated texts that loop, above the share at scale 0 (0.1). */
  looping: number | null;
  /** KL(steered ‖ baseline) of neutral text, nats a token (none by default). */
  kl: number | null;
}

const defaultDamageLimits: DamageLimits = {
  perplexityRatio: 1.5,
  valid: 0.95,
  looping: 0.1,
  kl: null,
};

const limit = z.number().min(0).nullable().optional();
export const damageLimitsSchema = z.strictObject({
  perplexityRatio: limit,
  valid: limit,
  looping: limit,
  kl: limit,
});

export function damageLimits(given: z.infer<typeof damageLimitsSchema>): DamageLimits {
  const { perplexityRatio, valid, looping, kl } = given;
  const or = <T>(value: T | undefined, other: T) => (value === undefined ? other : value);
  return {
    perplexityRatio: or(perplexityRatio, defaultDamageLimits.perplexityRatio),
    valid: or(valid, defaultDamageLimits.valid),
    looping: or(looping, defaultDamageLimits.looping),
    kl: or(kl, defaultDamageLimits.kl),
  };
}

/** What damage is judged by. */
export type DamageMeasures = Pick<SteeredScale, "valid" | "perplexity" | "neutral" | "loops">;

/** Each limit that a scale goes over, in words; none when it does no damage. */
export function damageOf(
  { valid, perplexity, neutral, loops }: DamageMeasures,
  baseline: { valid: number | null; looping: number | null },
  limits: DamageLimits,
): string[] {
  const found: string[] = [];
  const over = (limit: number | null, value: number | null | undefined, words: (value: string) => string) => {
    if (limit !== null && value !== null && value !== undefined && value > limit)
      found.push(words(shown(value)));
  };
  over(
    limits.perplexityRatio,
    perplexity?.ratio,
    (value) => `perplexity of neutral text × ${value} (limit × ${limits.perplexityRatio})`,
  );
  over(
    limits.kl,
    neutral?.kl.value,
    (value) => `KL of neutral text ${value} nats a token (limit ${limits.kl})`,
  );
  if (limits.valid !== null && valid.value !== null && baseline.valid !== null) {
    if (valid.value < limits.valid * baseline.valid)
      found.push(`${shown(valid.value)} of answers valid (${shown(baseline.valid)} at scale 0)`);
  }
  const more = loops && loops.looping.value !== null ? loops.looping.value - (baseline.looping ?? 0) : null;
  over(limits.looping, more, (value) => `${value} more of the texts loop (limit ${limits.looping})`);
  return found;
}

function shown(value: number): string {
  return String(Number(value.toPrecision(3)));
}
