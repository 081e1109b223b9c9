import { readFile } from "node:fs/promises";
import { writeFileAtomic } from "../../files/file-atomic.ts";
import { allowedWords } from "../../options/allowed-words.ts";
import { checkPath } from "../../options/check-path.ts";
import { type EraserJSON, eraserSchema } from "../../results/eraser.ts";
import { ProbeError } from "../probe-error.ts";
import { refuseRows } from "../trained/trained-probe.ts";

/** Takes a concept out of rows of one layer. */
export interface Eraser extends Pick<
  EraserJSON,
  "method" | "formula" | "layer" | "label" | "width" | "rows" | "classes"
> {
  /** Dimensions that are taken out. */
  readonly rank: number;
  /** Rows (`[rows, width]`) without the concept, in an array of their own; float64 inside. Throws ProbeError `wrong_width`, `not_finite`. */
  apply(values: Float32Array): Float32Array<ArrayBuffer>;
  /** Plain JSON from which `eraserFromJSON` makes the same eraser, bit for bit. */
  toJSON(): EraserJSON;
}

export function eraserOf(json: EraserJSON): Eraser {
  const { method, formula, layer, label, width, rows, classes } = json;
  const left = json.left.map((row) => Float64Array.from(row));
  const right = json.right.map((row) => Float64Array.from(row));
  const center = json.center ? Float64Array.from(json.center) : new Float64Array(width);
  return {
    ...{ method, formula, layer, label, width, rows, classes },
    rank: left.length,
    apply(values) {
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
  };
}

/** Reads what `toJSON` wrote. Throws ProbeError `bad_eraser` naming the first fault. */
export function eraserFromJSON(json: unknown): Eraser {
  const parsed = eraserSchema.safeParse(json, { error: allowedWords });
  if (!parsed.success) {
    const issue = parsed.error.issues[0]!;
    throw badEraser(`${issue.path.join(".") || "the document"}; allowed: ${issue.message}`);
  }
  const { left, right, center, width } = parsed.data;
  if (left.length !== right.length)
    throw badEraser(`left has ${left.length} rows, and right ${right.length}`);
  const other = [...left, ...right, ...(center ? [center] : [])].find((row) => row.length !== width);
  if (other) throw badEraser(`a row of ${other.length} numbers, and the width is ${width}`);
  return eraserOf(parsed.data);
}

function badEraser(what: string): ProbeError {
  return new ProbeError("bad_eraser", `This is no eraser: ${what}.`);
}

/** Writes the eraser's JSON; the file is there whole or not at all. */
export async function saveEraser(path: string, eraser: Eraser): Promise<void> {
  await writeFileAtomic(path, [new TextEncoder().encode(`${JSON.stringify(eraser)}\n`)]);
}

/** Reads what `saveEraser` wrote. Throws ProbeError `bad_eraser`. */
export async function loadEraser(path: string): Promise<Eraser> {
  checkPath(path, "path");
  const text = await readFile(path, "utf8");
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw badEraser(`${path} holds no JSON`);
  }
  return eraserFromJSON(json);
}
