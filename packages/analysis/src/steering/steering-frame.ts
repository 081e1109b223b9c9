import { baselineNoise } from "./baseline-noise.ts";
import { damageLimits } from "./damage/damage-limits.ts";
import { promptFrame } from "./prompt-frame.ts";
import { targetRule, type CommonSettings } from "./steering-common.ts";
import type { SteeringFrame } from "./steering-measures.ts";
import type { SteeringRun } from "./steering-runs.ts";

/** What the measures of these prompts (all unless some are named) share. `baselines` hold all prompts: the first is the baseline, others its repeats. */
export function steeringFrame(
  settings: CommonSettings,
  baselines: readonly SteeringRun[],
  prompts?: readonly number[],
): SteeringFrame {
  const named = prompts ? prompts.map((prompt) => settings.prompts[prompt]!) : settings.prompts;
  const runs = prompts ? baselines.map((run) => pickRun(run, prompts)) : baselines;
  const frame = promptFrame(named, settings);
  const target = targetRule(settings);
  return {
    ...frame,
    choices: settings.choices,
    from: named.map(({ from }) => from),
    target,
    scorers: settings.scorers,
    limits: damageLimits(settings.damage),
    baseline: runs[0]!,
    noise: baselineNoise(frame, runs, { choices: settings.choices, target }),
  };
}

/** A run of all prompts as if only these had been asked. */
export function pickRun(run: SteeringRun, prompts: readonly number[]): SteeringRun {
  const of = <T>(all: readonly T[]) => (all.length > 0 ? prompts.map((prompt) => all[prompt]!) : []);
  return { answers: of(run.answers), texts: of(run.texts), neutral: run.neutral };
}
