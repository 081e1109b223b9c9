import { basename, resolve } from "node:path";
import type { Lens } from "@residua/lens";
import { loadModel, type Model, type ModelOptions } from "../model.ts";

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
 * ModelFolderError.
 */
export async function openLocal(
  folder: string | Model,
  { modelId, checkpoint, ...options }: OpenLocalOptions = {},
): Promise<LocalLens> {
  const id = modelId ?? (typeof folder === "string" ? nameOf(folder) : "local");
  // A server on this engine needs no lens.
  const { localLens } = await import("./local-lens.ts");
  const own = typeof folder === "string" ? await loadModel(folder, options) : undefined;
  const model = own ?? (folder as Model);
  const lens = await localLens(model, id, checkpoint ?? `residua/${id}`);
  const dispose = async () => own?.dispose();
  return Object.freeze<LocalLens>({ ...lens, dispose, [Symbol.asyncDispose]: dispose });
}

function nameOf(path: string): string {
  return basename(resolve(path)).replace(/\.gguf$/i, "") || "local";
}
