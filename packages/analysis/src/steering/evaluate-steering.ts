import type { Lens } from "@residua/lens";
import { fewGroups } from "../statistics/bootstrap.ts";
import { directionNorm } from "../probes/direction.ts";
import { indexGroups } from "../statistics/group-folds.ts";
import { perplexity } from "./perplexity.ts";
import { randomName } from "../statistics/random.ts";
import { resultSchemaVersion } from "../results/result-version.ts";
import type { SteeringEvaluation } from "../results/steering-evaluation.ts";
import { baselineNoise, measureScale, measureTwins, promptMean } from "./steering-measures.ts";
import type { SteeringFrame } from "./steering-measures.ts";
import { steeringSettings } from "./steering-options.ts";
import type { SteeringOptions, SteeringSettings } from "./steering-options.ts";
import { steeringRuns } from "./steering-runs.ts";
import type { SteeringRuns } from "./steering-runs.ts";

/**
 * What adding a direction to the residual stream does to the answers of prompts, scale by scale: how many turn, how many stay
 * an answer at all, how the log probabilities move, what neutral text costs, and what random directions of equal norm do.
 * The baseline is scale 0 through the same path, repeated to measure its noise. Fails with ProbeError, or with what `lens.generate` throws.
 */
export async function evaluateSteering(
  lens: Pick<Lens, "generate">,
  options: SteeringOptions,
): Promise<SteeringEvaluation> {
  const settings = steeringSettings(options);
  const runs = await steeringRuns(lens, settings);
  const frame = frameOf(settings, runs);
  const { direction, scales, draws, seed } = settings;
  const asExpected = frame.baseline.answers.map(({ choice }, i) => (choice === frame.from[i] ? 1 : 0));
  return {
    schemaVersion: resultSchemaVersion,
    kind: "steering-evaluation",
    model: runs.model,
    layer: direction.layer,
    directionNorm: directionNorm(direction.vector),
    directionMethod: direction.method,
    choices: [...settings.choices],
    seed,
    random: randomName,
    draws,
    n: settings.prompts.length,
    groups: frame.groups,
    baseline: {
      asExpected: promptMean(frame, asExpected, "there is no prompt"),
      perplexity: perplexity(frame.baseline.texts),
    },
    // Scale 0 shows the repeated baseline against the first.
    scales: scales.map((scale) => measureScale(frame, scale, runs.steered.get(scale) ?? runs.baselines[1]!)),
    twins:
      settings.twins === 0
        ? []
        : [...runs.twins].map(([scale, twins]) =>
            measureTwins(frame, scale, { twins, prompts: runs.twinPrompts }),
          ),
    baselineNoise: frame.noise,
    notes: notesOf(settings, frame, asExpected),
  };
}

function frameOf(settings: SteeringSettings, runs: SteeringRuns): SteeringFrame {
  const { prompts, choices, draws, seed } = settings;
  const { index, count } = indexGroups(prompts.map(({ group }, i) => group ?? i));
  return {
    choices,
    from: prompts.map(({ from }) => from),
    groupOf: index,
    groups: count,
    baseline: runs.baselines[0]!,
    noise: baselineNoise(choices, runs.baselines),
    draws,
    seed,
  };
}

function notesOf(settings: SteeringSettings, frame: SteeringFrame, asExpected: readonly number[]): string[] {
  const { prompts, twinPrompts, twins } = settings;
  const notes: string[] = [];
  const ungrouped = prompts.filter(({ group }) => group === undefined).length;
  if (ungrouped > 0) notes.push(`${ungrouped} prompts have no group: each counts as a group of its own.`);
  if (frame.groups < fewGroups) {
    notes.push(
      `Only ${frame.groups} groups: intervals that redraw groups are too narrow below about ${fewGroups}.`,
    );
  }
  const wrong = asExpected.filter((right) => right === 0).length;
  if (wrong > 0)
    notes.push(
      `${wrong} of ${prompts.length} prompts are not answered as they should be at scale 0; they take no part in the flips.`,
    );
  if (twins > 0 && twinPrompts < prompts.length)
    notes.push(`Random twins were tried on ${twinPrompts} of ${prompts.length} prompts.`);
  return notes;
}
