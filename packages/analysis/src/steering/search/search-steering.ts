import { directionNorm } from "../../probes/direction.ts";
import { meanDifference } from "../../probes/mean-difference.ts";
import { resultSchemaVersion } from "../../results/result-version.ts";
import type { SteeringSearch } from "../../results/steering-search.ts";
import { randomName } from "../../statistics/random.ts";
import { checkLens } from "../check-lens.ts";
import { refuseUnanswered } from "../refuse-unanswered.ts";
import { neutralCount } from "../neutral/neutral-count.ts";
import type { SteeringLens } from "../steering-common.ts";
import { steeringFrame } from "../steering-frame.ts";
import { measureScale, type SteeringFrame } from "../steering-measures.ts";
import { groupNotes } from "../steering-notes.ts";
import { rowsAt, type SteeringDirection } from "../steering-rows.ts";
import { steeringRuns, type SteeringRuns } from "../steering-runs.ts";
import { doesAsMuch } from "../twins/does-as-much.ts";
import { bestCell } from "./best-cell.ts";
import { searchGrid, type TriedCell } from "./search-grid.ts";
import { searchObjective, type SearchObjective } from "./search-objective.ts";
import { searchSettings, type SearchSettings, type SteeringSearchOptions } from "./search-options.ts";
import { searchTwins } from "./search-twins.ts";
import { searchVerdict } from "./search-verdict.ts";
import { splitPrompts, type PromptHalves } from "./split-prompts.ts";

type SearchFrames = Record<keyof PromptHalves, SteeringFrame>;

/**
 * The layer and scale at which a direction does most without damage: a grid, each side of each layer outward from 0 up to its first damage.
 * Prompts are halved by group: one half chooses, the other estimates, and random directions that search the same cells say what the best of many cells
 * gains by luck. Fails with InvalidRequestError and ProbeError, or with what the lens throws.
 */
export async function searchSteering(
  lens: SteeringLens,
  options: SteeringSearchOptions,
): Promise<SteeringSearch> {
  checkLens(lens, "generate", "searchSteering");
  const settings = searchSettings(options);
  const directions = await directionsFor(settings);
  const halves = splitPrompts(settings.prompts, settings.seed);
  const objective = searchObjective(settings);
  const count = await neutralCount(lens, settings);
  const runs = steeringRuns(lens, { ...settings, neutralCount: count });

  const frames = await baselineFrames(runs, settings, { directions, halves });
  const { cells, stopped } = await searchGrid(runs, frames.choose, {
    directions,
    scales: settings.scales,
    prompts: halves.choose,
  });
  const undamaged = cells.filter(({ measured }) => measured.damage.length === 0);
  const best = winningCell(undamaged, frames.choose, objective);
  const estimated =
    best && (await estimateCell(runs, best, { directions, frames, prompts: halves.estimate, objective }));
  const twins =
    estimated && settings.twins > 0
      ? await searchTwins(runs, objective, {
          directions,
          cells: undamaged,
          gain: estimated.mean,
          count: settings.twins,
          seed: settings.seed,
          halves: {
            choose: { frame: frames.choose, prompts: halves.choose },
            estimate: { frame: frames.estimate, prompts: halves.estimate },
          },
        })
      : null;
  const result = {
    objective: { metric: objective.metric, aim: settings.aim },
    cells: cells.map((cell) => ({
      layer: cell.layer,
      scale: cell.scale,
      gain: objective.gain(frames.choose, cell.run),
      damage: cell.measured.damage,
      perplexityRatio: cell.measured.perplexity?.ratio ?? null,
      kl: cell.measured.neutral?.kl.value ?? null,
    })),
    winner: estimated?.winner ?? null,
    twins,
  };
  return {
    schemaVersion: resultSchemaVersion,
    kind: "steering-search",
    model: runs.model(),
    directions: directions.map(({ layer, vector, method }) => ({
      layer,
      norm: directionNorm(vector),
      method,
    })),
    scales: settings.scales,
    limits: frames.choose.limits,
    seed: settings.seed,
    random: randomName,
    draws: settings.draws,
    n: settings.prompts.length,
    groups: frames.choose.groups + frames.estimate.groups,
    split: {
      choose: { n: halves.choose.length, groups: frames.choose.groups },
      estimate: { n: halves.estimate.length, groups: frames.estimate.groups },
    },
    ...result,
    stopped,
    verdict: searchVerdict(result),
    notes: notesOf(settings, frames),
  };
}

async function directionsFor({
  directions,
  dataset,
  label,
  layers,
  positive,
  where,
}: SearchSettings): Promise<readonly SteeringDirection[]> {
  if (directions) return [...directions].sort((a, b) => a.layer - b.layer);
  const found: SteeringDirection[] = [];
  for (const layer of [...new Set(layers ?? dataset!.layers)].sort((a, b) => a - b)) {
    const options = {
      label: label!,
      layer,
      ...(positive === undefined ? {} : { positive }),
      ...(where === undefined ? {} : { where }),
    };
    found.push(await meanDifference(dataset!, options));
  }
  return found;
}

/** Scale 0 of all prompts, asked twice, as both halves see it. */
async function baselineFrames(
  runs: SteeringRuns,
  settings: SearchSettings,
  { directions, halves }: { directions: readonly SteeringDirection[]; halves: PromptHalves },
): Promise<SearchFrames> {
  const at0 = {
    rows: rowsAt(directions[0]!),
    scale: 0,
    prompts: [...settings.prompts.keys()],
    damage: true,
    logprobs: true,
  };
  const [baseline] = await runs.run([at0]);
  refuseUnanswered(settings, baseline!, "searchSteering");
  const [repeat] = await runs.run([at0]);
  const baselines = [baseline!, repeat!];
  return {
    choose: steeringFrame(settings, baselines, halves.choose),
    estimate: steeringFrame(settings, baselines, halves.estimate),
  };
}

/** The undamaged cell that gains most on the choosing half; none that gains nothing. */
function winningCell(
  cells: readonly TriedCell[],
  frame: SteeringFrame,
  objective: SearchObjective,
): TriedCell | undefined {
  const gains = cells.map((cell) => objective.mean(frame, cell.run));
  const place = bestCell(cells, gains, objective.rounding);
  return place === undefined || doesAsMuch(0, gains[place]!, objective.rounding) ? undefined : cells[place];
}

async function estimateCell(
  runs: SteeringRuns,
  { layer, scale, run: chosen }: TriedCell,
  {
    directions,
    frames,
    prompts,
    objective,
  }: {
    directions: readonly SteeringDirection[];
    frames: SearchFrames;
    prompts: readonly number[];
    objective: SearchObjective;
  },
): Promise<{ winner: NonNullable<SteeringSearch["winner"]>; mean: number | undefined }> {
  const direction = directions.find((each) => each.layer === layer)!;
  const [run] = await runs.run([{ rows: rowsAt(direction), scale, prompts, damage: true, logprobs: true }]);
  const winner = {
    layer,
    scale,
    chosenGain: objective.gain(frames.choose, chosen),
    gain: objective.gain(frames.estimate, run!),
    measured: measureScale(frames.estimate, scale, run!),
  };
  return { winner, mean: objective.mean(frames.estimate, run!) };
}

function notesOf(settings: SearchSettings, frames: SearchFrames): string[] {
  const notes = groupNotes(settings.prompts, Math.min(frames.choose.groups, frames.estimate.groups));
  if (settings.neutral.length === 0)
    notes.push(
      "No neutral texts were given: perplexity could not stop a side, so damage is judged by the answers alone.",
    );
  return notes;
}
