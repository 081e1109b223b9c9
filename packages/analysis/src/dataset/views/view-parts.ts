import { InvalidRequestError } from "@residua/lens";
import { z } from "zod";
import { checkOptions } from "../../options/check-options.ts";
import type { DatasetManifest } from "../dataset-manifest.ts";
import type { RowSource } from "../row-source.ts";

/** Where the rows of a view come from, and what was done to them. */
export interface ViewLineage {
  /** For errors: the folder, or what stands for one. */
  name: string;
  /** In words, one for each step. */
  how: readonly string[];
  /** Content hashes of the datasets, and SHA-256 of the tables, that took part. */
  from: readonly string[];
  /** What the manifest of a dataset says beside its rows, where it is known. */
  about: Partial<Pick<DatasetManifest, "model" | "checkpoint" | "selection" | "server" | "chatTemplate">>;
  /** What a reader of the rows should know, such as how many found no partner in a join. */
  notes: readonly string[];
}

/** A source and its past: what each kind of view is made from, and makes. */
export interface ViewParts {
  source: RowSource;
  lineage: ViewLineage;
}

/** The lineage of a dataset as it was opened. */
export function manifestLineage(folder: string, manifest: DatasetManifest): ViewLineage {
  const { model, checkpoint, selection, server, chatTemplate, contentHash } = manifest;
  return {
    name: folder,
    how: [],
    from: [contentHash],
    about: { model, checkpoint, selection, ...(server && { server }), ...(chatTemplate && { chatTemplate }) },
    notes: [],
  };
}

/** The lineage after one more step. */
export function nextStep(
  { name, how, from, about, notes }: ViewLineage,
  step: { how: string; from?: readonly string[]; notes?: readonly string[] },
): ViewLineage {
  return {
    name,
    how: [...how, step.how],
    from: [...new Set([...from, ...(step.from ?? [])])],
    about,
    notes: [...notes, ...(step.notes ?? [])],
  };
}

/** An option of a view that cannot be. */
export function badOption(field: string, given: string, allowed: string): InvalidRequestError {
  return new InvalidRequestError([{ field, given, allowed }], "view");
}

/** Refuses options that are not known, which would do nothing in silence, and values that cannot be. */
export function checkViewOptions(at: string, options: unknown, schema: z.ZodRawShape): void {
  checkOptions(z.strictObject(schema), options, "view", at);
}

/** What a view says of its writing. */
export const writingSchema = {
  signal: z.instanceof(AbortSignal).optional(),
  onProgress: z.custom((value) => typeof value === "function", "a function").optional(),
  shardRows: z.int().min(1).optional(),
};
