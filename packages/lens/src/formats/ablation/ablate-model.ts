import { randomBytes } from "node:crypto";
import { copyFile, mkdir, readdir, rename, rm, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { checkFormatArguments } from "../../arguments/check-arguments.ts";
import {
  aFunction,
  anyText,
  fields,
  floats,
  optional,
  signal as signalKind,
  text,
  whole,
} from "../../arguments/kinds.ts";
import type { Direction } from "../../steering/direction.ts";
import { checkDirections } from "../check-directions.ts";
import { FormatError } from "../format-error.ts";
import { ablatedTensor, type AblatedTensor } from "./ablated-tensor.ts";
import { readJsonFile } from "../files/read-json-file.ts";
import { openModelWeights, type ModelWeights } from "./model-weights.ts";
import { unitVector } from "./orthogonalise.ts";
import { embedding, head, readAblationConfig, streamRoles, type AblationConfig } from "./stream-writers.ts";
import { writeSafetensors } from "../safetensors/write-safetensors.ts";

/** What was written. */
export interface Ablation {
  readonly folder: string;
  readonly hiddenSize: number;
  readonly layers: number;
  /** Tensors that were changed. */
  readonly changed: number;
  /** Largest ‖what a tensor still writes along the direction‖ / ‖tensor‖, of those changed: rounding to the weights' type. */
  readonly residue: number;
  /** What the tensors wrote along it before, the largest of the same ratios. */
  readonly before: number;
  /** The unembedding shared its weights with the embedding and has its own now, unchanged. */
  readonly untied: boolean;
}

export interface AblateOptions {
  /** A Hugging Face folder of the families Llama, Mistral or Qwen2: config.json and safetensors. */
  readonly model: string;
  readonly direction: Pick<Direction, "layer" | "vector" | "method" | "name">;
  /** A folder that does not exist yet, or is empty. */
  readonly to: string;
  readonly onProgress?: (progress: { done: number; total: number }) => void;
  readonly signal?: AbortSignal;
}

const ablateOptions = fields({
  model: text,
  direction: fields(
    { layer: whole(0), vector: floats, method: anyText, name: optional(anyText) },
    { loose: true },
  ),
  to: text,
  onProgress: optional(aFunction),
  signal: optional(signalKind),
});

/** Files of a folder that hold the old weights in another form. */
const otherWeights =
  /\.(?:safetensors|bin|pt|pth|gguf|h5|msgpack|onnx|ot|npz)$|^model\.safetensors\.index\.json$/;

/**
 * Writes a model whose residual stream has no component along a direction, at any layer: embedding, attention outputs and down
 * projections are orthogonalised to it (W ← W − r̂ r̂ᵀ W, biases too), in the type that the weights have. An unembedding that is
 * tied to the embedding is written on its own, so that it reads as before. Whole or not at all; `ablation.json` says what was
 * done. Throws FormatError. Source: Arditi et al. 2024, "Refusal in language models is mediated by a single direction".
 */
export async function ablateModel(options: AblateOptions): Promise<Ablation> {
  checkFormatArguments("ablateModel", { options: [options, ablateOptions] });
  const { model, direction, to } = options;
  const config = readAblationConfig(await readJsonFile(join(model, "config.json")));
  checkDirections(
    [{ layer: 0, vector: direction.vector }],
    { hiddenSize: config.hiddenSize },
    "the direction",
  );
  const unit = unitVector(direction.vector);
  if (unit === null)
    throw new FormatError("format_value", "the direction is zero: there is nothing to ablate");
  await requireEmpty(to);
  const weights = await openModelWeights(model);
  const unfinished = `${to}.${randomBytes(6).toString("hex")}.unfinished`;
  try {
    await mkdir(unfinished);
    const ablation = await writeWeights(weights, config, unit, unfinished, options);
    await writeRest(model, unfinished, config, weights, { ...ablation, folder: to }, direction);
    // An empty folder gives way; one that was filled meanwhile does not.
    await rmdir(to).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error;
    });
    await rename(unfinished, to);
    return Object.freeze({ ...ablation, folder: to });
  } finally {
    await weights.close();
    await rm(unfinished, { recursive: true, force: true });
  }
}

async function writeWeights(
  { files }: ModelWeights,
  config: AblationConfig,
  unit: Float64Array,
  folder: string,
  { onProgress, signal }: AblateOptions,
): Promise<Omit<Ablation, "folder">> {
  const roles = streamRoles(
    [...files.values()].flatMap(({ entries }) => [...entries.keys()]),
    config,
  );
  const needsHead = config.tied && !roles.has(head);
  const changed: AblatedTensor[] = [];
  let done = 0;
  for (const [name, file] of files) {
    const plans = [...file.entries].map(([tensor, { dtype, shape }]) => ({ name: tensor, dtype, shape }));
    const table = plans.find((plan) => plan.name === embedding);
    if (needsHead && table !== undefined) plans.push({ ...table, name: head });
    const read = async (tensor: string) => {
      signal?.throwIfAborted();
      onProgress?.({ done: ++done, total: roles.size + (needsHead ? 1 : 0) });
      if (tensor === head && needsHead) return file.read(embedding);
      const role = roles.get(tensor)!;
      const stored = await file.read(tensor);
      if (role === "reads") return stored;
      const ablated = ablatedTensor(tensor, stored, unit, role);
      changed.push(ablated);
      return ablated.stored;
    };
    await writeSafetensors(join(folder, name), plans, read, file.metadata);
  }
  const { hiddenSize, layers } = config;
  const largest = (of: (tensor: AblatedTensor) => number) => Math.max(...changed.map(of));
  return {
    ...{ hiddenSize, layers, changed: changed.length, untied: config.tied },
    residue: largest(({ after }) => after),
    before: largest(({ before }) => before),
  };
}

/** config.json, the index, ablation.json, and the tokenizer and other files as they are. */
async function writeRest(
  from: string,
  folder: string,
  { json }: AblationConfig,
  { index, files }: ModelWeights,
  ablation: Ablation,
  { layer, name, method }: AblateOptions["direction"],
): Promise<void> {
  for (const entry of await readdir(from, { withFileTypes: true })) {
    // A cache of models holds links to files.
    if (entry.isDirectory() || otherWeights.test(entry.name)) continue;
    await copyFile(join(from, entry.name), join(folder, entry.name));
  }
  const write = (file: string, value: unknown) =>
    writeFile(join(folder, file), `${JSON.stringify(value, null, 2)}\n`);
  await write("config.json", ablation.untied ? { ...json, tie_word_embeddings: false } : json);
  if (index !== null) await write("model.safetensors.index.json", indexWithHead(index, files));
  const { changed, residue, before, untied } = ablation;
  await write("ablation.json", { direction: { name, layer, method }, changed, residue, before, untied });
}

/** The index with an unembedding of its own, if the model had none. */
function indexWithHead(index: Readonly<Record<string, unknown>>, files: ModelWeights["files"]): object {
  const [file, { entries }] = [...files].find(([, file]) => file.entries.has(embedding))!;
  const map = index["weight_map"] as Readonly<Record<string, string>>;
  if (Object.hasOwn(map, head)) return index;
  const { begin, end } = entries.get(embedding)!;
  const metadata = index["metadata"] as Readonly<Record<string, unknown>> | undefined;
  const size = metadata?.["total_size"];
  return {
    ...index,
    ...(typeof size === "number" && { metadata: { ...metadata, total_size: size + end - begin } }),
    weight_map: { ...map, [head]: file },
  };
}

async function requireEmpty(folder: string): Promise<void> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  if (names.length === 0) return;
  throw new FormatError(
    "format_invalid",
    `${folder} is there and not empty; give a new folder. Nothing was written`,
  );
}
