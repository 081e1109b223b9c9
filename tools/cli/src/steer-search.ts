import { openDataset, searchSteering, type SteeringSearch } from "@residua/analysis";
import { withConnection, type ServerOptions } from "./connect.ts";
import { readExamples } from "./examples-file.ts";
import { parseLayers, parseScales, withInterval } from "./numbers.ts";
import { alignColumns } from "./output.ts";
import type { CommandContext } from "./make-command.ts";
import { resultFile, type ResultFileOptions } from "./result-file.ts";
import { parseChoices, steeringPrompt, steeringStood, textOf } from "./steer.ts";
import { splitFilter } from "./sweep.ts";

/** Options of `residua steer-search`. */
export interface SteerSearchOptions extends ServerOptions, ResultFileOptions {
  dataset: string;
  label: string;
  layers: string;
  prompts: string;
  choices: string;
  scales: string;
  objective: string;
  twins: number;
  split?: string;
  neutral?: string;
  seed: number;
}

/** `residua steer-search`: the layer and scale at which a label's mean difference does most without damage, beside random directions that search too. */
export async function steerSearchCommand(
  options: SteerSearchOptions,
  context: CommandContext,
): Promise<void> {
  const { output, signal } = context;
  const { label, twins, seed, objective } = options;
  const write = await resultFile(options, context);
  const scales = parseScales(options.scales);
  const layers = parseLayers(options.layers);
  const choices = parseChoices(options.choices);
  const prompts = (await readExamples(options.prompts)).map((example) => steeringPrompt(example, label));
  const neutral = options.neutral ? (await readExamples(options.neutral)).map(textOf) : [];
  const dataset = await openDataset(options.dataset);
  const where = await splitFilter(dataset, options.split);
  const search = await withConnection(options, context, ({ lens, model }) =>
    searchSteering(lens, {
      model,
      dataset,
      label,
      ...(where && { where }),
      ...(layers !== "all" && { layers }),
      prompts,
      choices,
      scales,
      objective,
      twins,
      neutral,
      seed,
      signal,
      onProgress: ({ done, total }) => output.count("answered", done, total),
    }),
  );
  await write(search, await steeringStood(options, dataset));
  output.result(search, describe(search));
}

function describe({ objective, cells, winner, split, verdict, notes }: SteeringSearch): string {
  const table = alignColumns([
    [objective.metric, "chooses", "perplexity", "damage"],
    ...cells.map(({ layer, scale, gain, perplexityRatio, damage }) => [
      `layer ${layer}, scale ${scale}`,
      withInterval(gain),
      perplexityRatio === null ? "–" : `× ${perplexityRatio.toFixed(2)}`,
      damage.length > 0 ? "stops here" : "",
    ]),
  ]);
  const { choose, estimate } = split;
  return [
    table,
    `chosen on ${choose.n} prompts, estimated on ${estimate.n} others`,
    ...(winner ? [`layer ${winner.layer}, scale ${winner.scale}: ${withInterval(winner.gain)}`] : []),
    verdict,
    ...notes,
  ].join("\n");
}
