import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { ModelFolderError } from "./engine-error.ts";
import { isFloatFormat } from "./float-formats.ts";
import { openSafetensors, type SafetensorsFile } from "./safetensors.ts";
import { decodeTensor, type TensorFormat } from "./tensor-formats.ts";

const indexSchema = z.looseObject({ weight_map: z.record(z.string(), z.string()) });

/** The weights of a model, by the names that they have in a Hugging Face folder. */
export interface Checkpoint {
  /** The tensor's values; its shape must be the one given. */
  floats(name: string, shape: readonly number[]): Promise<Float32Array>;
  /** The tensor's bytes as stored, for a table that is decoded row by row. */
  raw(name: string, shape: readonly number[]): Promise<{ bytes: Uint8Array; format: TensorFormat }>;
  close(): Promise<void>;
}

/** Reads a JSON file of the folder. Throws ModelFolderError with the code given. */
export async function readFolderJson(folder: string, file: string, code: string): Promise<unknown> {
  let text: string;
  try {
    text = await readFile(join(folder, file), "utf8");
  } catch (cause) {
    const message = `cannot read ${file} in ${folder}: a model folder holds config.json, tokenizer.json and model.safetensors, as Hugging Face lays them out`;
    throw new ModelFolderError("folder_unreadable", message, { folder, file }, { cause });
  }
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new ModelFolderError(code, `${file} in ${folder} is not JSON`, { folder, file }, { cause });
  }
}

/** Opens `model.safetensors`, or the shards of `model.safetensors.index.json`. Throws ModelFolderError. */
export async function openCheckpoint(folder: string): Promise<Checkpoint> {
  const fileOf = new Map<string, SafetensorsFile>();
  const files: SafetensorsFile[] = [];
  const close = async () => void (await Promise.all(files.map((file) => file.close())));
  try {
    for (const name of await weightFiles(folder)) {
      const file = await openSafetensors(join(folder, name), name);
      files.push(file);
      for (const tensor of file.entries.keys()) fileOf.set(tensor, file);
    }
  } catch (error) {
    await close();
    throw error;
  }
  const raw: Checkpoint["raw"] = async (name, shape) => {
    const file = fileOf.get(name);
    const entry = file?.entries.get(name);
    if (file === undefined || entry === undefined)
      throw invalid(`the weights have no tensor ${name}`, { name });
    if (!isFloatFormat(entry.dtype)) {
      throw invalid(`tensor ${name} is ${entry.dtype}; only F32, F16 and BF16 are read`, { name });
    }
    if (entry.shape.join() !== shape.join()) {
      throw invalid(
        `tensor ${name} has shape [${entry.shape.join(", ")}] where config.json asks for [${shape.join(", ")}]`,
        { name },
      );
    }
    return { bytes: await file.read(name), format: entry.dtype };
  };
  return {
    raw,
    floats: async (name, shape) => {
      const { bytes, format } = await raw(name, shape);
      return decodeTensor(bytes, format);
    },
    close,
  };
}

async function weightFiles(folder: string): Promise<string[]> {
  const index = await readFolderJson(folder, "model.safetensors.index.json", "weights_invalid").catch(
    (error: unknown) => {
      if (error instanceof ModelFolderError && error.code === "folder_unreadable") return undefined;
      throw error;
    },
  );
  if (index === undefined) return ["model.safetensors"];
  const parsed = indexSchema.safeParse(index);
  if (!parsed.success) throw invalid("model.safetensors.index.json has no weight_map of file names");
  const names = [...new Set(Object.values(parsed.data.weight_map))];
  const outside = names.find((name) => !/^[A-Za-z0-9_-][A-Za-z0-9._-]*\.safetensors$/.test(name));
  if (outside !== undefined) {
    throw invalid(
      `model.safetensors.index.json names ${JSON.stringify(outside)}, which is no file of the folder`,
    );
  }
  return names;
}

function invalid(message: string, data: Record<string, unknown> = {}): ModelFolderError {
  return new ModelFolderError("weights_invalid", message, data);
}
