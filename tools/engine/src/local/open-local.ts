import { basename, resolve } from "node:path";
import type { Lens } from "@residua/lens";
import { checkOptions, textRule } from "../check-options.ts";
import { loadModel, type Model, modelOptionRules, type ModelOptions } from "../model.ts";
import { optionError } from "../option-error.ts";

export interface OpenLocalOptions extends ModelOptions {
  /** The id that requests name, and records keep. Default: the name of the folder or file; "local" for a model that is given. */
  readonly modelId?: string;
  /** The checkpoint's name in answers. Default: `residua/<modelId>`, as the local server has it. */
  readonly checkpoint?: string;
}

/** A lens on a model in this process. It holds the model until it is disposed of: `await using lens = await openLocal(folder)`. */
export interface LocalLens extends Lens {
  /** Ends what is under way and frees the model, unless it was given. Then every request rejects with `model_disposed`. */
  dispose(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * The lens interface on a model in this process, with no server and no connection: a folder as `loadModel` takes it, or a model that is
 * loaded already (and stays the caller's to dispose of). Requests, limits, checks, errors and numbers are those of a lens at the
 * local server of the same model, profile `acs`; requests of one moment share passes. Streams are not to be had. Throws
 * ModelFolderError, and `invalid_option`.
 */
export async function openLocal(folder: string | Model, options: OpenLocalOptions = {}): Promise<LocalLens> {
  checkGiven(folder, options);
  const { modelId, checkpoint, ...loading } = options;
  const id = modelId ?? (typeof folder === "string" ? nameOf(folder) : "local");
  // A server on this engine needs no lens.
  const { localLens } = await import("./local-lens.ts");
  const own = typeof folder === "string" ? await loadModel(folder, loading) : undefined;
  const model = own ?? (folder as Model);
  const lens = await localLens(model, id, checkpoint ?? `residua/${id}`);
  const dispose = async () => own?.dispose();
  return Object.freeze<LocalLens>({ ...lens, dispose, [Symbol.asyncDispose]: dispose });
}

const optionRules = { modelId: textRule, checkpoint: textRule, ...modelOptionRules };

function checkGiven(folder: string | Model, options: OpenLocalOptions): void {
  checkOptions(options, optionRules);
  if (typeof folder === "string" ? folder === "" : !isModel(folder)) {
    const allowed = "the path of a model's folder or .gguf file, as a text, or a model of loadModel";
    throw optionError("folder", folder, allowed);
  }
  if (typeof folder === "string") return;
  for (const name of Object.keys(modelOptionRules) as (keyof ModelOptions)[]) {
    if (options[name] !== undefined)
      throw optionError(name, options[name], "left out: the model that is given was loaded without it");
  }
}

function isModel(given: unknown): boolean {
  const { generate, readOut, config } = Object(given) as Partial<Model>;
  return typeof generate === "function" && readOut !== undefined && config !== undefined;
}

function nameOf(path: string): string {
  return basename(resolve(path)).replace(/\.gguf$/i, "") || "local";
}
