import { readFile, rename, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { openDataset } from "@residua/analysis";
import { captureCommand, reportCommand, steerCommand, sweepCommand, transferCommand } from "../commands.ts";
import { serverSettings } from "../connect.ts";
import type { CommandContext } from "../make-command.ts";
import { UsageError } from "../usage-error.ts";
import type { Pipeline, PipelineStep, StepKind, StepOptions } from "./pipeline-schema.ts";
import { sha256 } from "./step-state.ts";

/** A step with the pipeline that it is of. */
interface StepRun<K extends StepKind> {
  readonly pipeline: Pipeline;
  readonly options: StepOptions<K>;
  /** Where its result goes. */
  readonly to: string;
}

interface KindOfStep<K extends StepKind> {
  /** Whether models are asked: their server is then a part of what the result follows from. */
  readonly asks: boolean;
  /** Where its result goes. */
  to(options: StepOptions<K>, out: string): string;
  /** The SHA-256 of each file and dataset that it reads, by its place in the options. */
  inputs(run: StepRun<K>): Promise<Record<string, string>>;
  run(run: StepRun<K>, context: CommandContext): Promise<void>;
  /** Puts away the result of other inputs, which `run` would not write over. */
  clear?(to: string, context: CommandContext): Promise<void>;
  /** SHA-256 of the result; undefined where it is not there, or is not whole. */
  hash(to: string): Promise<string | undefined>;
}

const resultFile = (out: string, name: string) => join(out, `${name}.json`);

/** How each kind of step runs: by the command of its name. */
const kinds: { readonly [K in StepKind]: KindOfStep<K> } = {
  collect: {
    asks: true,
    to: ({ collect }, out) => join(out, collect),
    inputs: async ({ pipeline, options }) => ({
      examples: await needFile(pipeline.base, "examples", options.examples),
    }),
    run: ({ pipeline, options, to }, context) =>
      captureCommand(
        {
          ...pipeline.server,
          examples: resolve(pipeline.base, options.examples),
          layers: options.layers === "all" ? "all" : options.layers.join(","),
          select: options.select,
          ...{ maxTokens: 1, to },
        },
        context,
      ),
    clear: putAway,
    hash: datasetHash,
  },
  sweep: {
    asks: false,
    to: ({ sweep }, out) => resultFile(out, sweep),
    inputs: async (run) => ({ dataset: await needDataset(run.pipeline, "dataset", run.options.dataset) }),
    run: ({ pipeline, options, to }, context) => {
      const { label, split, folds, seed } = options;
      const dataset = folderOf(pipeline, options.dataset);
      return sweepCommand(
        { dataset, label, folds, seed, ...(split !== undefined && { split }), out: to, replace: true },
        context,
      );
    },
    hash: fileHash,
  },
  transfer: {
    asks: false,
    to: ({ transfer }, out) => resultFile(out, transfer),
    inputs: async ({ pipeline, options }) => {
      const hashes: Record<string, string> = {};
      for (const [at, dataset] of options.datasets.entries())
        hashes[`datasets[${at}]`] = await needDataset(pipeline, `datasets[${at}]`, dataset);
      return { ...hashes, ...(await layerInput(pipeline, options.layer)) };
    },
    run: async ({ pipeline, options, to }, context) => {
      const { label, probe, folds, seed, shared } = options;
      const datasets = options.datasets.map((dataset) => folderOf(pipeline, dataset));
      const layer = await layerOf(pipeline, options.layer);
      await transferCommand(
        { datasets, label, layer, probe, folds, seed, shared, out: to, replace: true },
        context,
      );
    },
    hash: fileHash,
  },
  steer: {
    asks: true,
    to: ({ steer }, out) => resultFile(out, steer),
    inputs: async ({ pipeline, options }) => ({
      dataset: await needDataset(pipeline, "dataset", options.dataset),
      prompts: await needFile(pipeline.base, "prompts", options.prompts),
      ...(options.neutral !== undefined && {
        neutral: await needFile(pipeline.base, "neutral", options.neutral),
      }),
      ...(await layerInput(pipeline, options.layer)),
    }),
    run: async ({ pipeline, options, to }, context) => {
      const { label, twins, seed, split, neutral } = options;
      await steerCommand(
        {
          ...pipeline.server,
          ...{ label, twins, seed, out: to, replace: true },
          ...(split !== undefined && { split }),
          ...(neutral !== undefined && { neutral: resolve(pipeline.base, neutral) }),
          dataset: folderOf(pipeline, options.dataset),
          layer: await layerOf(pipeline, options.layer),
          prompts: resolve(pipeline.base, options.prompts),
          choices: options.choices.join(","),
          scales: options.scales.join(","),
          directions: join(pipeline.out, "directions"),
        },
        context,
      );
    },
    hash: fileHash,
  },
  report: {
    asks: false,
    to: ({ report }, out) => join(out, report),
    // All that went before it.
    inputs: async ({ pipeline, to }) => {
      const hashes: Record<string, string> = {};
      for (const step of pipeline.steps) {
        const place = placeOf(step, pipeline.out);
        if (place === to) break;
        const hash = await hashOf(step, pipeline.out);
        if (hash !== undefined) hashes[step.name] = hash;
      }
      return hashes;
    },
    run: ({ pipeline, to }, context) => reportCommand({ run: pipeline.out, out: to }, context),
    hash: fileHash,
  },
};

/** The kind of one step; what it takes are the options of that kind. */
function kindOf(step: PipelineStep): KindOfStep<StepKind> {
  return kinds[step.kind];
}

/** Where a step's result goes. */
export function placeOf(step: PipelineStep, out: string): string {
  return kindOf(step).to(step.options, out);
}

export async function hashOf(step: PipelineStep, out: string): Promise<string | undefined> {
  return await kindOf(step).hash(placeOf(step, out));
}

/** What a step reads, by its SHA-256. Throws UsageError where it is not there. */
export async function inputsOf(step: PipelineStep, pipeline: Pipeline): Promise<Record<string, string>> {
  const { options } = step;
  return await kindOf(step).inputs({ pipeline, options, to: placeOf(step, pipeline.out) });
}

/** The options that the result follows from: not where it stops a pipeline, nor what it reads, which counts by its content. */
export function basisOptions(step: PipelineStep, { server }: Pipeline): Record<string, unknown> {
  const { gates: _gates, ...options } = { gates: [], ...step.options };
  return { ...options, ...(kindOf(step).asks && { server: serverSettings(server) }) };
}

/** Runs a step. `other` says that what lies there is of other inputs. */
export async function runStep(
  step: PipelineStep,
  { pipeline, other }: { pipeline: Pipeline; other: boolean },
  context: CommandContext,
): Promise<void> {
  const kind = kindOf(step);
  const to = placeOf(step, pipeline.out);
  if (other) await kind.clear?.(to, context);
  await kind.run({ pipeline, options: step.options, to }, context);
}

/** An earlier step's dataset, or a folder. */
function folderOf({ base, out, steps }: Pipeline, dataset: string): string {
  const own = steps.some(({ kind, name }) => kind === "collect" && name === dataset);
  return own ? join(out, dataset) : resolve(base, dataset);
}

async function needDataset(pipeline: Pipeline, field: string, dataset: string): Promise<string> {
  const folder = folderOf(pipeline, dataset);
  const hash = await datasetHash(folder);
  if (hash !== undefined) return hash;
  throw new UsageError(
    `${field}: ${dataset} is neither a collect step that has run nor the folder of a whole dataset (${folder})`,
  );
}

async function needFile(base: string, field: string, file: string): Promise<string> {
  const hash = await fileHash(resolve(base, file));
  if (hash !== undefined) return hash;
  throw new UsageError(`${field}: ${file} is not there, or cannot be read (looked for in ${base})`);
}

/** The layer that a sweep chose is all of the sweep that counts. */
async function layerInput(pipeline: Pipeline, layer: number | string): Promise<Record<string, string>> {
  return typeof layer === "number" ? {} : { layer: String(await layerOf(pipeline, layer)) };
}

async function layerOf({ out }: Pipeline, layer: number | string): Promise<number> {
  if (typeof layer === "number") return layer;
  const sweep = JSON.parse(await readFile(join(out, `${layer}.json`), "utf8")) as {
    chosen: { layer: number };
  };
  return sweep.chosen.layer;
}

async function fileHash(file: string): Promise<string | undefined> {
  const bytes = await readFile(file).catch(() => undefined);
  return bytes && sha256(bytes);
}

/** Of what a dataset holds, wherever it lies. */
async function datasetHash(folder: string): Promise<string | undefined> {
  const dataset = await openDataset(folder).catch(() => undefined);
  return dataset?.manifest.contentHash;
}

/** Nothing that was captured is lost: it is called otherwise. */
async function putAway(folder: string, { output }: CommandContext): Promise<void> {
  if (!(await stat(folder).catch(() => undefined))) return;
  for (let number = 1; ; number++) {
    const aside = `${folder}.old-${number}`;
    if (await stat(aside).catch(() => undefined)) continue;
    await rename(folder, aside);
    output.progress(`${folder} is of other inputs: it is now ${aside}`);
    return;
  }
}
