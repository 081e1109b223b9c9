import { directionNorm } from "../probes/direction.ts";
import { resultSchemaVersion } from "../results/result-version.ts";
import type { SteeringEvaluation } from "../results/steering-evaluation.ts";
import { randomName } from "../statistics/random.ts";
import { checkLens } from "./check-lens.ts";
import { refuseUnanswered } from "./refuse-unanswered.ts";
import { scorerDisagreements } from "./scorers/scorer-disagreements.ts";
import { doseSummary } from "./dose-summary.ts";
import { entropy } from "./neutral/divergence.ts";
import { neutralCount } from "./neutral/neutral-count.ts";
import { perplexity } from "./neutral/perplexity.ts";
import { meanOf, promptShare } from "./prompt-frame.ts";
import type { SteeringLens } from "./steering-common.ts";
import { pickRun, steeringFrame } from "./steering-frame.ts";
import { measureScale, noChoices } from "./steering-measures.ts";
import { evaluationNotes } from "./steering-notes.ts";
import { steeringSettings, type SteeringOptions, type SteeringSettings } from "./steering-options.ts";
import { directionsOf } from "./steering-rows.ts";
import { spread, steeringRuns, type SteeringCondition, type SteeringRun } from "./steering-runs.ts";
import { measureTwins } from "./twins/measure-twins.ts";
import { randomTwins } from "./twins/random-twins.ts";
import { shuffledTwins } from "./twins/shuffled-twins.ts";

/**
 * What adding a direction to the residual stream does, scale by scale: to the answers of prompts (flips, log probabilities beside those of tokens
 * as likely), to generated text (scorers, loops), and to neutral text (perplexity, KL, entropy); and what random directions of equal
 * norm do. The baseline is scale 0 through the same path, repeated to measure its noise. Fails with InvalidRequestError and ProbeError, or with
 * what `lens.generate` throws.
 */
export async function evaluateSteering(
  lens: SteeringLens,
  options: SteeringOptions,
): Promise<SteeringEvaluation> {
  checkLens(lens, "generate", "evaluateSteering");
  const settings = steeringSettings(options);
  const { rows, scales, twinScales, prompts } = settings;
  const random = randomTwins(rows, { count: settings.twins, seed: settings.seed });
  const shuffled = settings.shuffled ? await shuffledTwins(rows, settings.shuffled, settings.seed) : [];
  const count = await neutralCount(lens, settings);
  const runs = steeringRuns(lens, {
    ...settings,
    neutralCount: count,
    total: requestsOf(settings, { count, twins: random.length + shuffled.length }),
  });

  const whole = { rows, prompts: [...prompts.keys()], damage: true, logprobs: true };
  const [baseline] = await runs.run([{ ...whole, scale: 0 }]);
  refuseUnanswered(settings, baseline!, "evaluateSteering");
  const nonzero = scales.filter((scale) => scale !== 0);
  const repeats = new Array<number>(settings.baselineRepeats).fill(0);
  const twinPrompts = spread(prompts.length, settings.twinPrompts);
  // Many short requests: their likeliest tokens are read only where a target was named, not where it is but the first choice.
  const logprobs = settings.target !== undefined;
  const of = (twin: SteeringCondition["rows"], scale: number): SteeringCondition => ({
    rows: twin,
    scale,
    prompts: twinPrompts,
    damage: false,
    logprobs,
  });
  const left = (
    await runs.run([
      ...[...repeats, ...nonzero].map((scale) => ({ ...whole, scale })),
      ...twinScales.flatMap((scale) => [...random, ...shuffled].map((twin) => of(twin, scale))),
    ])
  ).values();
  const take = (length: number) => Array.from({ length }, () => left.next().value as SteeringRun);
  const repeated = take(repeats.length);
  const steered = new Map([
    [0, repeated[0]!] as const,
    ...take(nonzero.length).map((run, i) => [nonzero[i]!, run] as const),
  ]);
  const tried = twinScales.map((scale) => ({
    scale,
    random: take(random.length),
    shuffled: take(shuffled.length),
  }));

  const frame = steeringFrame(settings, [baseline!, ...repeated]);
  const twinsOf = (kind: "random" | "shuffled") =>
    tried
      .filter((each) => each[kind].length > 0)
      .map((each) =>
        measureTwins(frame, each.scale, {
          direction: steered.has(each.scale) ? pickRun(steered.get(each.scale)!, twinPrompts) : undefined,
          twins: each[kind],
          prompts: twinPrompts,
          logprobs,
        }),
      );
  // Scale 0 shows the repeated baseline against the first.
  const measured = scales.map((scale) => measureScale(frame, scale, steered.get(scale)!));
  const asExpected = frame.choices
    ? baseline!.answers.map(({ choice }, i) => (choice === frame.from[i] ? 1 : 0))
    : [];
  const entropies = runs.baselineTexts().flatMap(({ distributions }) => distributions.map(entropy));
  const directions = directionsOf(settings.direction);
  return {
    schemaVersion: resultSchemaVersion,
    kind: "steering-evaluation",
    model: runs.model(),
    layer: [...rows.keys()][0]!,
    layers: [...rows].map(([layer, vector]) => ({ layer, norm: directionNorm(vector) })),
    directionNorm: directionNorm([...rows.values()][0]!),
    directionMethod: [...new Set(directions.map(({ method }) => method))].join("; "),
    choices: settings.choices ? [...settings.choices] : null,
    target: frame.target
      ? { tokens: [...frame.target.targets], controls: frame.target.controls, controlGap: frame.target.gap }
      : null,
    seed: settings.seed,
    random: randomName,
    draws: settings.draws,
    n: prompts.length,
    groups: frame.groups,
    baseline: {
      asExpected: promptShare(frame, asExpected, frame.choices ? "there is no prompt" : noChoices),
      perplexity: perplexity(baseline!.neutral),
      entropy: meanOf(entropies) ?? null,
    },
    scales: measured,
    twins: twinsOf("random"),
    shuffledTwins: twinsOf("shuffled"),
    baselineNoise: frame.noise,
    dose: doseSummary(measured),
    scorers: settings.scorers.map(({ name, kind, method }) => ({ name, kind, method })),
    disagreements: scales.flatMap((scale) => scorerDisagreements(frame, scale, steered.get(scale)!)),
    notes: evaluationNotes(settings, frame, { measured, asExpected, shuffled }),
  };
}

/** For progress: how many requests all conditions come to. */
function requestsOf(
  {
    choices,
    target,
    scorers,
    generation,
    prompts,
    neutral,
    scales,
    twinScales,
    baselineRepeats,
    twinPrompts,
  }: SteeringSettings,
  { count, twins }: { count: number; twins: number },
): number {
  const answers = choices !== undefined || target !== undefined ? 1 : 0;
  const scored = scorers.length > 0 ? 1 : 0;
  const texts = scored || generation ? 1 : 0;
  const conditions = 1 + baselineRepeats + scales.filter((scale) => scale !== 0).length;
  const own = count === 0 ? 0 : neutral.length;
  const asked = conditions * ((answers + texts) * prompts.length + neutral.length);
  return own + asked + twinScales.length * twins * Math.min(twinPrompts, prompts.length) * (answers + scored);
}
