import type { z } from "zod";
import { allowedWords } from "../../options/allowed-words.ts";
import {
  type EraserContent,
  eraserContentSchema,
  type EraserJSON,
  eraserSchema,
} from "../../results/eraser.ts";
import { contentHash } from "../content-hash.ts";
import { deepFrozen } from "../deep-frozen.ts";
import { type DocumentKind, readDocument, writeDocument } from "../document-file.ts";
import { ProbeError } from "../probe-error.ts";
import { refuseRows } from "../trained/trained-probe.ts";

/** Takes a concept out of rows of one layer; frozen. */
export interface Eraser extends Readonly<
  Pick<EraserJSON, "method" | "formula" | "layer" | "label" | "width" | "rows">
> {
  readonly classes: readonly EraserJSON["classes"][number][];
  /** Dimensions that are taken out. */
  readonly rank: number;
  /** Rows (`[rows, width]`) without the concept, in an array of their own; float64 inside. Throws ProbeError `wrong_width`, `not_finite`. */
  apply(values: Float32Array): Float32Array<ArrayBuffer>;
  /** Plain JSON from which `eraserFromJSON` makes the same eraser, bit for bit. */
  toJSON(): EraserJSON;
}

function eraserOf(json: EraserJSON): Eraser {
  const { method, formula, layer, label, width, rows } = json;
  const classes = deepFrozen(json.classes);
  const left = json.left.map((row) => Float64Array.from(row));
  const right = json.right.map((row) => Float64Array.from(row));
  const center = json.center ? Float64Array.from(json.center) : new Float64Array(width);
  return Object.freeze({
    ...{ method, formula, layer, label, width, rows, classes },
    rank: left.length,
    apply(values: Float32Array) {
      refuseRows(values, width);
      const erased = new Float32Array(values.length);
      const row = new Float64Array(width);
      for (let at = 0; at < values.length; at += width) {
        for (let j = 0; j < width; j++) row[j] = values[at + j]!;
        // Each part is measured on the row as it was given.
        const parts = right.map((direction) => {
          let part = 0;
          for (let j = 0; j < width; j++) part += direction[j]! * (values[at + j]! - center[j]!);
          return part;
        });
        left.forEach((direction, k) => {
          for (let j = 0; j < width; j++) row[j]! -= parts[k]! * direction[j]!;
        });
        erased.set(row, at);
      }
      return erased;
    },
    toJSON: () => structuredClone(json),
  });
}

/** The eraser of its content, sealed. Throws ProbeError `bad_eraser`. */
export function sealedEraser(content: EraserContent): Eraser {
  // Parsed, so that the fields stand in the order in which a reader will hash them.
  const parsed = parsedBy(eraserContentSchema, content);
  return eraserOf({ ...parsed, sha256: contentHash(parsed) });
}

/** Reads what `toJSON` wrote. Throws ProbeError `bad_eraser` naming the first fault. */
export function eraserFromJSON(json: unknown): Eraser {
  const parsed = parsedBy(eraserSchema, json);
  const { sha256, ...content } = parsed;
  if (contentHash(content) !== sha256)
    throw badEraser("it is not the one that was saved (its SHA-256 differs): the file was changed");
  return eraserOf(parsed);
}

function parsedBy<T extends EraserContent>(schema: z.ZodType<T>, json: unknown): T {
  const parsed = schema.safeParse(json, { error: allowedWords });
  if (!parsed.success) {
    const issue = parsed.error.issues[0]!;
    throw badEraser(`${issue.path.join(".") || "the document"}; allowed: ${issue.message}`);
  }
  const { left, right, center, width } = parsed.data;
  if (left.length !== right.length)
    throw badEraser(`left has ${left.length} rows, and right ${right.length}`);
  const other = [...left, ...right, ...(center ? [center] : [])].find((row) => row.length !== width);
  if (other) throw badEraser(`a row of ${other.length} numbers, and the width is ${width}`);
  return parsed.data;
}

function badEraser(what: string): ProbeError {
  return new ProbeError("bad_eraser", `This is no eraser: ${what}.`);
}

const kind: DocumentKind<Eraser> = { code: "bad_eraser", name: "eraser", read: eraserFromJSON };

/**
 * Writes the eraser's JSON; the file is there whole or not at all. Anything but an eraser is refused, and leaves the file as it is:
 * InvalidRequestError, ProbeError `bad_eraser`. Throws DatasetError when it cannot be written.
 */
export async function saveEraser(path: string, eraser: Eraser): Promise<void> {
  await writeDocument(path, eraser, kind);
}

/** Reads what `saveEraser` wrote. Throws ProbeError `bad_eraser` that names the file and its fault, DatasetError when it cannot be read. */
export async function loadEraser(path: string): Promise<Eraser> {
  return await readDocument(path, kind);
}
