import { existsSync } from "node:fs";
import { ablateModel, exportDirections } from "@residua/lens";
import { formatOf, parseConvention, readSaved } from "./direction-options.ts";
import type { CommandContext } from "./make-command.ts";
import { UsageError } from "./usage-error.ts";

/** Options of `residua export`. */
export interface ExportCommandOptions {
  direction?: string;
  to: string;
  convention?: string;
  layers?: number;
  modelHint?: string;
  replace?: boolean;
  ablate?: string;
  model?: string;
  layer?: number;
}

/** `residua export`: a direction for another tool, or a model without it. */
export async function exportCommand(options: ExportCommandOptions, context: CommandContext): Promise<void> {
  if ((options.direction === undefined) === (options.ablate === undefined)) {
    throw new UsageError("give either a saved direction to export, or --ablate with one");
  }
  if (options.ablate === undefined) await exportDirection(options, options.direction!, context);
  else await ablate(options, options.ablate, context);
}

async function exportDirection(
  { to, convention, layers, modelHint, replace = false }: ExportCommandOptions,
  path: string,
  { output }: CommandContext,
): Promise<void> {
  const format = formatOf(to, "--to");
  if (convention === undefined) {
    throw new UsageError(
      `--convention is needed: how ${to} is to count layers, such as residua, huggingface or llama.cpp`,
    );
  }
  const name = parseConvention(convention);
  const directions = await readSaved(path);
  if (!replace && existsSync(to))
    throw new UsageError(`--to: ${to} is there already; add --replace to write over it`);
  await exportDirections(to, directions, {
    format,
    convention: name,
    ...(layers !== undefined && { layers }),
    ...(modelHint !== undefined && { modelHint }),
  });
  const ours = directions.map(({ layer }) => layer);
  output.result(
    { file: to, format, convention: name, layers: ours },
    `${to}: layers ${ours.join(", ")} (ours), counted as ${name}`,
  );
}

async function ablate(
  { model, to, layer }: ExportCommandOptions,
  path: string,
  { output, signal }: CommandContext,
): Promise<void> {
  if (model === undefined)
    throw new UsageError("--ablate needs --model FOLDER, the model to take the direction out of");
  const directions = await readSaved(path);
  const chosen = directions.filter((direction) => layer === undefined || direction.layer === layer);
  const [direction] = chosen;
  if (direction === undefined || chosen.length > 1) {
    const has = directions.map((one) => one.layer).join(", ");
    throw new UsageError(
      `--layer: ${path} has layers ${has}; say which one (the weights of all layers lose the one direction)`,
    );
  }
  const ablation = await ablateModel({
    model,
    to,
    direction,
    signal,
    onProgress: ({ done, total }) => output.count("tensors", done, total),
  });
  const { changed, before, residue } = ablation;
  output.result(
    ablation,
    `${to}: ${changed} tensors changed; of what they write, at most ${before.toPrecision(2)} lay along the direction, and ${residue.toPrecision(2)} does now`,
  );
}
