import {
  evaluateSteering,
  meanDifference,
  openDataset,
  type Example,
  type SteeringEvaluation,
} from "@residua/analysis";
import { saveDirection } from "@residua/lens";
import { serverSettings, withConnection, type ServerOptions } from "./connect.ts";
import { readExamples } from "./examples-file.ts";
import { UsageError } from "./usage-error.ts";
import { parseScales } from "./numbers.ts";
import type { CommandContext } from "./make-command.ts";
import { inputDataset, inputFile, resultFile, type ResultFileOptions, type Stood } from "./result-file.ts";
import { steeringCosts, steeringTable } from "./steering-table.ts";
import { splitFilter } from "./sweep.ts";

/** Options of `residua steer`. */
export interface SteerCommandOptions extends ServerOptions, ResultFileOptions {
  dataset: string;
  label: string;
  layer: number;
  prompts: string;
  choices: string;
  scales: string;
  twins: number;
  split?: string;
  neutral?: string;
  generate?: number;
  seed: number;
  save?: string;
  directions: string;
}

/** `residua steer`: adds multiples of a label's mean difference, beside random directions of equal norm. */
export async function steerCommand(options: SteerCommandOptions, context: CommandContext): Promise<void> {
  const { output, signal } = context;
  const { label, layer, twins, seed } = options;
  const write = await resultFile(options, context);
  const scales = parseScales(options.scales);
  const choices = parseChoices(options.choices);
  const prompts = (await readExamples(options.prompts)).map((example) => steeringPrompt(example, label));
  const neutral = options.neutral ? (await readExamples(options.neutral)).map(textOf) : [];
  const dataset = await openDataset(options.dataset);
  const where = await splitFilter(dataset, options.split);
  const direction = await meanDifference(dataset, { label, layer, ...(where && { where }) });
  if (options.save !== undefined) {
    output.progress(`saved: ${await saveDirection(options.directions, direction, { name: options.save })}`);
  }
  const evaluation = await withConnection(options, context, ({ lens, model }) =>
    evaluateSteering(lens, {
      model,
      direction,
      prompts,
      choices,
      scales,
      twins,
      neutral,
      ...(options.generate !== undefined && { generation: { maxTokens: options.generate } }),
      seed,
      signal,
      onProgress: ({ done, total }) => output.count("answered", done, total),
    }),
  );
  await write(evaluation, await steeringStood(options, dataset));
  output.result(evaluation, describe(evaluation));
}

/** The dataset, the prompts and the neutral texts by their bytes, and the server. */
export async function steeringStood(
  options: ServerOptions & { dataset: string; prompts: string; neutral?: string; split?: string },
  dataset: { manifest: { contentHash: string } },
): Promise<Stood> {
  const { prompts, neutral, split } = options;
  return {
    inputs: [
      inputDataset(options.dataset, dataset),
      await inputFile("prompts", prompts),
      ...(neutral === undefined ? [] : [await inputFile("neutral", neutral)]),
    ],
    settings: { ...serverSettings(options), ...(split !== undefined && { split }) },
  };
}

function describe(evaluation: SteeringEvaluation): string {
  const { n, groups, scales, dose, notes } = evaluation;
  const { negative, positive } = dose.firstDamage;
  return [
    steeringTable(evaluation),
    "",
    steeringCosts(evaluation),
    `${n} prompts, ${groups} groups`,
    ...[negative, positive].flatMap((first) =>
      first ? [`first damage at scale ${first.scale}: ${first.damage.join("; ")}`] : [],
    ),
    ...scales.flatMap(({ scale, target }) =>
      scale !== 0 && target?.verdict !== undefined ? [`scale ${scale}: ${target.verdict}`] : [],
    ),
    ...notes,
  ].join("\n");
}

/** `" true, false"`: two texts parted by a comma, each with the space that its token begins with. */
export function parseChoices(text: string): [string, string] {
  const [first, second, ...rest] = text.split(",");
  if (!first || !second || rest.length > 0) {
    throw new UsageError(
      `--choices: "${text}" is not allowed; give two texts parted by a comma, such as " true, false"`,
    );
  }
  return [first, second];
}

export function steeringPrompt({ prompt, group, labels }: Example, label: string) {
  const value = labels?.[label];
  if (typeof value !== "boolean") {
    throw new UsageError(
      `--prompts: the label ${label} must be true or false in each line, not ${JSON.stringify(value) ?? "absent"}`,
    );
  }
  const from: 0 | 1 = value ? 0 : 1;
  if (prompt === undefined) throw new UsageError("--prompts: each line needs a prompt, not messages");
  const copy = typeof prompt === "string" ? prompt : [...prompt];
  return { prompt: copy, from, ...(group !== undefined && { group }) };
}

export function textOf({ prompt }: Example): string {
  if (typeof prompt !== "string") throw new UsageError("--neutral: each line needs a prompt that is text");
  return prompt;
}
