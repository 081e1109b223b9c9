import {
  collect,
  directionAuroc,
  evaluateSteering,
  meanDifference,
  sweepLayers,
  type ActivationDataset,
  type ReportAnswers,
  type ReportInput,
} from "@residua/analysis";
import type { Connection } from "./connect.ts";
import { askQuestions } from "./first-run-answers.ts";
import type { FirstRunData } from "./first-run-data.ts";
import type { FirstRunSettings } from "./first-run.ts";
import { showLimit } from "./first-run-limits.ts";
import { captureStrips, stripStatements, tokenScore } from "./first-run-strips.ts";
import type { CommandContext } from "./make-command.ts";
import type { Stopwatch } from "./stopwatch.ts";
import { runVersions } from "./versions.ts";

const label = "truth";

type RowTest = (row: number) => boolean;

/** What the steps find: the report's document, but for what the run itself adds (settings, timings, memory). */
export type Found = Omit<ReportInput, "settings" | "timings" | "peakMemoryMiB" | "rerun">;

interface Run {
  connection: Connection;
  data: FirstRunData;
  folder: string;
  settings: FirstRunSettings;
  stopwatch: Stopwatch;
  context: CommandContext;
}

/** Limits, answers, captures, sweep, held-out test, steering, token strips: in that order. */
export async function runSteps(run: Run): Promise<Found> {
  const { connection, data, stopwatch, context } = run;
  const { signal, output } = context;
  const { lens, model } = connection;
  const seed = Number(run.settings["seed"]);

  const limits = await stopwatch.time("ask for more than a capture may hold", () =>
    showLimit(connection, { signal }),
  );
  const answers = await stopwatch.time("ask for verdicts and ratings", () => askAnswers(run));

  const dataset = await stopwatch.time(`capture ${data.examples.length} statements`, () =>
    collect(lens, data.examples, {
      model,
      layers: "all",
      select: "last",
      to: run.folder,
      signal,
      failFast: true,
      onProgress: ({ done, total }) => output.count("  captured", done, total),
    }),
  );
  const split = await dataset.column("split");
  const isTraining = (row: number) => split[row] === "train";
  const isHeldOut = (row: number) => split[row] === "heldOut";

  const sweep = await stopwatch.time("probe every layer", () =>
    sweepLayers(dataset, {
      label,
      group: "group",
      folds: Number(run.settings["folds"]),
      seed,
      where: isTraining,
      signal,
    }),
  );
  const heldOut = await stopwatch.time("test on cities that took no part", () =>
    testHeldOut(dataset, { isTraining, isHeldOut, seed }),
  );
  const { layer } = sweep.chosen;
  const direction = await meanDifference(dataset, { label, layer, where: isTraining });
  // A model that never answers with a verdict has no answer that a twin could turn.
  const twins = answers[0]!.valid.value === 0 ? 0 : Number(run.settings["twins"]);
  const steering = await stopwatch.time(`steer at layer ${layer}, with ${twins} random twins`, () =>
    evaluateSteering(lens, {
      model,
      direction,
      prompts: data.heldOut.map(({ prompt, group, truth }) => ({
        prompt,
        group,
        from: truth ? (0 as const) : (1 as const),
      })),
      choices: data.verdictChoices,
      scales: [-4, -2, -1, -0.5, 0, 0.5, 1, 2, 4],
      twins,
      twinScales: [-2, -1, 1, 2],
      twinPrompts: 60,
      neutral: data.neutral,
      // Perplexity alone: whole distributions would take longer than all the rest.
      neutralTop: 0,
      seed,
      signal,
      onProgress: ({ done, total }) => output.count("  answered", done, total),
    }),
  );
  const score = await tokenScore(dataset, direction, { label, isTraining });
  const statements = stripStatements(data.heldOut);
  const { strips, checks } = await captureStrips(connection, { statements, layer, score, signal });
  return {
    schemaVersion: 1,
    title: `Where ${model} keeps the truth about cities`,
    createdAt: new Date().toISOString(),
    model: await describeModel(connection, dataset),
    dataset: { ...(await describeDataset(dataset, run.folder)), checks },
    answers,
    heldOut,
    sweep,
    steering,
    strips,
    ...(limits && { limits }),
    versions: runVersions(),
  };
}

async function askAnswers({ connection, data, context }: Run): Promise<ReportAnswers[]> {
  const { signal } = context;
  const verdicts = data.heldOut.map(({ prompt, truth, group }) => ({ prompt, right: truth ? 0 : 1, group }));
  return [
    await askQuestions(connection, {
      title: "Verdict on statements about cities that never had one in training (half of them true)",
      questions: verdicts,
      choices: data.verdictChoices,
      signal,
    }),
    await askQuestions(connection, {
      title: "Rating of reviews whose words never stood in a review in training (half of them good)",
      questions: data.ratings,
      choices: data.ratingChoices,
      signal,
    }),
  ];
}

/** At each layer: the mean difference of the training cities' statements, scored on the held-out ones. */
async function testHeldOut(
  dataset: ActivationDataset,
  { isTraining, isHeldOut, seed }: { isTraining: RowTest; isHeldOut: RowTest; seed: number },
): Promise<NonNullable<Found["heldOut"]>> {
  const layers = [];
  for (const layer of dataset.layers) {
    const direction = await meanDifference(dataset, { label, layer, where: isTraining });
    const auroc = await directionAuroc(dataset, direction, { label, where: isHeldOut, seed });
    layers.push({ layer, auroc });
  }
  const groups = await dataset.column("group");
  const count = (test: RowTest) => new Set(groups.filter((_, row) => test(row))).size;
  return {
    method: "mean(true) − mean(false) of training cities, projected on",
    trainGroups: count(isTraining),
    groups: count(isHeldOut),
    layers,
  };
}

async function describeModel(
  { lens, model }: Connection,
  dataset: ActivationDataset,
): Promise<Found["model"]> {
  const { checkpoint, layers } = await lens.describe(model);
  return {
    id: model,
    checkpoint: checkpoint.value ?? dataset.manifest.checkpoint ?? "unknown",
    layers: layers.value ?? dataset.layers.length,
    hiddenSize: dataset.hiddenSize,
  };
}

async function describeDataset(dataset: ActivationDataset, folder: string): Promise<Found["dataset"]> {
  return {
    rows: dataset.rows,
    examples: new Set(await dataset.column("example")).size,
    groups: new Set(await dataset.column("group")).size,
    layers: [...dataset.layers],
    selection: "the last token of each prompt",
    dtype: "bfloat16",
    folder,
  };
}
