import {
  type Direction,
  importDirections,
  readCaaVector,
  readRefusalDirection,
  readSteerkitProbe,
  saveDirection,
  type TransformerLensWeights,
} from "@residua/lens";
import { formatOf, parseConvention } from "./direction-options.ts";
import type { CommandContext } from "./make-command.ts";
import { UsageError } from "./usage-error.ts";

/** Options of `residua import`. */
export interface ImportCommandOptions {
  source: string;
  name: string;
  to: string;
  from?: string;
  convention?: string;
  layer?: number;
  layers?: number;
  method?: string;
  weights?: string;
  replace?: boolean;
}

/** `residua import`: a direction of another tool into a folder of saved directions. */
export async function importCommand(
  options: ImportCommandOptions,
  { output }: CommandContext,
): Promise<void> {
  const { name, to, replace = false } = options;
  const read = await readSource(options);
  const directions = read.map(({ layer, vector, method }) => ({ layer, vector, method, name }));
  const file = await saveDirection(to, directions, { name, replace });
  const layers = directions.map(({ layer }) => layer);
  const hiddenSize = directions[0]!.vector.length;
  output.result(
    { file, layers, hiddenSize },
    `${file}: layers ${layers.join(", ")}, hidden size ${hiddenSize}`,
  );
}

async function readSource(options: ImportCommandOptions): Promise<readonly Direction[]> {
  const { source, from, layer, layers, convention } = options;
  switch (from) {
    case "caa":
      return [await readCaaVector(source, layer)];
    case "refusal-direction":
      return [await readRefusalDirection(source)];
    case "steerkit":
      return [await readSteerkit(options)];
    case undefined:
      return importDirections(source, {
        format: formatOf(source, "source"),
        ...(convention !== undefined && { convention: parseConvention(convention) }),
        ...(layer !== undefined && { layer }),
        ...(layers !== undefined && { layers }),
      });
    default:
      throw new UsageError(
        `--from: "${from}" is not known; give caa, refusal-direction or steerkit, or leave it out`,
      );
  }
}

const weightKinds: readonly string[] = ["unprocessed", "processed-rmsnorm", "processed-layernorm"];

function readSteerkit({ source, method, weights }: ImportCommandOptions): Promise<Direction> {
  if (weights === undefined || !weightKinds.includes(weights)) {
    throw new UsageError(
      `--weights: how TransformerLens loaded the model that the probe is of; steerkit processes weights, so give processed-rmsnorm if its norms are RMSNorm (Llama, Mistral, Qwen) and processed-layernorm if not`,
    );
  }
  return readSteerkitProbe(source, {
    weights: weights as TransformerLensWeights,
    ...(method !== undefined && { method }),
  });
}
