import type { SteeringEvaluation } from "../results/steering-evaluation.ts";
import { damageLimits } from "./damage/damage-limits.ts";
import { promptFrame } from "./prompt-frame.ts";
import { targetRule, type CommonSettings } from "./steering-common.ts";
import type { SteeringFrame } from "./steering-measures.ts";
import type { SteeringRun } from "./steering-runs.ts";

/** What the measures of these prompts (all unless some are named) share. `baseline` holds all prompts. */
export function steeringFrame(
  settings: CommonSettings,
  baseline: SteeringRun,
  { noise, prompts }: { noise: SteeringEvaluation["baselineNoise"]; prompts?: readonly number[] },
): SteeringFrame {
  const named = prompts ? prompts.map((prompt) => settings.prompts[prompt]!) : settings.prompts;
  return {
    ...promptFrame(named, settings),
    choices: settings.choices,
    from: named.map(({ from }) => from),
    target: targetRule(settings),
    scorers: settings.scorers,
    limits: damageLimits(settings.damage),
    baseline: prompts ? pickRun(baseline, prompts) : baseline,
    noise,
  };
}

/** A run of all prompts as if only these had been asked. */
export function pickRun(run: SteeringRun, prompts: readonly number[]): SteeringRun {
  const of = <T>(all: readonly T[]) => (all.length > 0 ? prompts.map((prompt) => all[prompt]!) : []);
  return { answers: of(run.answers), texts: of(run.texts), neutral: run.neutral };
}
