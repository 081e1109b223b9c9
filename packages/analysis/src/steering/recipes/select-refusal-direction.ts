import { intervention, type Intervention } from "@residua/lens";
import { directionNorm } from "../../probes/direction.ts";
import { ProbeError } from "../../probes/probe-error.ts";
import type { DirectionSelection, SelectionCandidate } from "../../results/direction-selection.ts";
import type { Estimate } from "../../results/estimate.ts";
import { resultSchemaVersion } from "../../results/result-version.ts";
import { checkLens } from "../check-lens.ts";
import { klDivergence } from "../neutral/divergence.ts";
import { promptFrame, promptMean } from "../prompt-frame.ts";
import { readAnswer, type SteeringAnswer } from "../steering-answer.ts";
import { steeringPool } from "../steering-pool.ts";
import { rowsAt, rowsVector } from "../steering-rows.ts";
import { refusalScore, textDistributions } from "./refusal-score.ts";
import {
  selectionSettings,
  type AblationLens,
  type SelectionOptions,
  type SelectionSettings,
} from "./selection-options.ts";

type Prompts = SelectionSettings["harmful"];
type Candidate = SelectionSettings["candidates"][number];

/**
 * Which of many candidate directions (layer × position) mediates refusal: the one whose ablation at every layer refuses least (bypass), among those that
 * refuse when they are added (induce > 0), leave harmless prompts as they are (KL < 0.1) and do not come from the last fifth of the layers. Source:
 * Arditi et al. 2024, appendix C; there the stream is ablated inside blocks too, here at the output of each. Needs a lens that
 * ablates: one at a server rejects with `not_available`. Fails with InvalidRequestError, ProbeError `bad_option`, or what the lens throws.
 */
export async function selectRefusalDirection(
  lens: AblationLens,
  options: SelectionOptions,
): Promise<DirectionSelection> {
  checkLens(lens, "generate", "selectRefusalDirection");
  const settings = selectionSettings(options);
  const { harmful, harmless, tokens, candidates, maxKl, minInduce, dropLast, draws, seed } = settings;
  const depth = await depthOf(lens, settings);
  const lateFrom = Math.ceil(depth * (1 - dropLast) - 1e-9);
  const layers = Array.from({ length: depth }, (_, layer) => layer);
  let model = settings.model ?? "";
  const frames = { harmful: promptFrame(harmful, settings), harmless: promptFrame(harmless, settings) };

  async function answers(
    prompts: Prompts,
    {
      candidate,
      scale,
      interventions = [],
    }: { candidate: Candidate; scale: number; interventions?: Intervention[] },
  ): Promise<SteeringAnswer[]> {
    return steeringPool(prompts, settings, async ({ prompt }, signal) => {
      const completion = await lens.generate(
        {
          ...(settings.model === undefined ? {} : { model: settings.model }),
          prompt,
          max_tokens: 1,
          temperature: 0,
          logprobs: settings.top,
          // Scale 0 keeps what is only ablated, and the baseline, on the path of what is added.
          steering: [rowsVector(rowsAt(candidate), scale)],
          ...(interventions.length > 0 ? { interventions } : {}),
        },
        { signal },
      );
      model = completion.model;
      return readAnswer(completion);
    });
  }

  const mean = (set: keyof typeof frames, values: readonly number[]): Estimate =>
    promptMean(frames[set], values, "there is no prompt");
  const distributionOf = textDistributions();
  const plain = { candidate: candidates[0]!, scale: 0 };
  const before = { harmless: await answers(harmless, plain), harmful: await answers(harmful, plain) };
  const scoresOf = (set: keyof typeof frames, found: readonly SteeringAnswer[]) =>
    found.map((answer, i) => refusalScore(answer, tokens, before[set][i]!));
  const scored = (set: keyof typeof frames, found: readonly SteeringAnswer[]) =>
    mean(set, scoresOf(set, found));
  const plainScores = scoresOf("harmful", before.harmful);
  const baseline = {
    harmful: mean("harmful", plainScores),
    harmless: scored("harmless", before.harmless),
  };

  async function judge(candidate: Candidate): Promise<{ candidate: SelectionCandidate; change: Estimate }> {
    const interventions = [intervention({ kind: "ablate", direction: candidate.vector, layers })];
    const ablated = { candidate, scale: 0, interventions };
    const after = await answers(harmless, ablated);
    const kls = after.map((answer, i) =>
      klDivergence(distributionOf(before.harmless[i]!), distributionOf(answer)),
    );
    const kl = promptMean(frames.harmless, kls, "there is no prompt");
    const induce = scored("harmless", await answers(harmless, { candidate, scale: 1 }));
    const { layer, position, vector } = candidate;
    const bypassed = scoresOf("harmful", await answers(harmful, ablated));
    const judged = {
      layer,
      position,
      norm: directionNorm(vector),
      bypass: mean("harmful", bypassed),
      induce,
      kl,
      rejected: [
        ...(layer >= lateFrom
          ? [`layer ${layer} is among the last ${100 * dropLast} % (from ${lateFrom} on)`]
          : []),
        ...((kl.value ?? Infinity) >= maxKl
          ? [`KL of harmless prompts is at least ${shown(kl)}, and ${maxKl} is too much`]
          : []),
        ...((induce.value ?? -Infinity) <= minInduce
          ? [`its induce score is ${shown(induce)}, not above ${minInduce}`]
          : []),
      ],
    };
    const changes = bypassed.map((score, i) => score - plainScores[i]!);
    return { candidate: judged, change: mean("harmful", changes) };
  }

  const judged: Awaited<ReturnType<typeof judge>>[] = [];
  for (const candidate of candidates) judged.push(await judge(candidate));
  const [best] = judged
    .filter(({ candidate }) => candidate.rejected.length === 0)
    .sort((a, b) => (a.candidate.bypass.value ?? Infinity) - (b.candidate.bypass.value ?? Infinity));
  return {
    schemaVersion: resultSchemaVersion,
    kind: "direction-selection",
    model,
    tokens: [...tokens],
    limits: { maxKl, minInduce, dropLast },
    depth,
    lateFrom,
    baseline,
    candidates: judged.map(({ candidate }) => candidate),
    chosen: best ? { layer: best.candidate.layer, position: best.candidate.position } : null,
    verdict: best ? verdictOf(best, baseline.harmful) : "no candidate is allowed: each has its reasons",
    seed,
    draws,
  };
}

async function depthOf(lens: AblationLens, { depth, model, candidates }: SelectionSettings): Promise<number> {
  const found = depth ?? (await lens.describe?.(model))?.layers.value;
  if (found === undefined)
    throw new ProbeError(
      "bad_option",
      "selectRefusalDirection: the lens does not tell how many layers the model has: give depth.",
    );
  const beyond = candidates.find(({ layer }) => layer >= found);
  if (beyond)
    throw new ProbeError(
      "bad_option",
      `selectRefusalDirection: a candidate is of layer ${beyond.layer}, and the model has ${found}.`,
    );
  return found;
}

/** A fall counts when the interval of the change, prompt by prompt, lies below 0. */
function verdictOf(
  { candidate, change }: { candidate: SelectionCandidate; change: Estimate },
  baseline: Estimate,
): string {
  const { bypass, layer, position } = candidate;
  const at = `layer ${layer}, position ${position}`;
  const by = `${shown(change)}${change.low === null ? ", without an interval" : ` [${shown({ value: change.low })}, ${shown({ value: change.high })}]`}`;
  if (change.value === null || change.high === null || change.high >= 0)
    return `${at} is the best allowed candidate, and its ablation is not shown to lower anything: the score of harmful prompts changes by ${by}, from ${shown(baseline)} to ${shown(bypass)}`;
  return `${at}: ablated everywhere, the score of harmful prompts falls by ${by}, from ${shown(baseline)} to ${shown(bypass)}`;
}

function shown({ value }: Pick<Estimate, "value">): string {
  return value === null ? "undefined" : String(Number(value.toPrecision(3)));
}
