import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { checkFormatArguments } from "../../arguments/check-arguments.ts";
import { text, whole } from "../../arguments/kinds.ts";
import type { StoredArray } from "../arrays/stored-array.ts";
import { FormatError } from "../format-error.ts";
import { importedRows, type ImportedRows } from "../imported-rows.ts";
import { readPtArray } from "../pt/pt-array.ts";

/** Statements in each file but the last of a layer. */
const statementsPerFile = 25;

/**
 * Activations of Geometry of Truth: a folder of `layer_L_K.pt`, tensors [statements, hidden size] of the last token, K the
 * first statement of the file. Their layer L is the output of block L, as ours. Row i belongs to statement i of the CSV; a
 * missing or short file would move all rows after it, and is refused. Throws FormatError.
 */
export async function readGeometryOfTruth(folder: string, layer: number): Promise<ImportedRows> {
  checkFormatArguments("readGeometryOfTruth", { folder: [folder, text], layer: [layer, whole(0)] });
  const starts: number[] = [];
  for (const name of await namesIn(folder)) {
    const [, ofLayer, start] = /^layer_(\d+)_(\d+)\.pt$/.exec(name) ?? [];
    if (Number(ofLayer) === layer) starts.push(Number(start));
  }
  // By number: "layer_3_100.pt" sorts before "layer_3_25.pt" as text.
  starts.sort((a, b) => a - b);
  if (starts.length === 0) {
    throw new FormatError("format_missing", `${folder} has no layer_${layer}_K.pt`, { layer });
  }
  const parts: StoredArray[] = [];
  for (const [i, start] of starts.entries()) {
    if (start !== i * statementsPerFile) {
      throw new FormatError(
        "format_missing",
        `${folder} lacks layer_${layer}_${i * statementsPerFile}.pt: without it every row after would belong to another statement`,
        { layer },
      );
    }
    parts.push(await readPtArray(join(folder, `layer_${layer}_${start}.pt`), 2));
  }
  return joined(parts, layer, folder);
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    throw new FormatError("format_missing", `${folder} cannot be read (${code ?? message})`, {}, { cause });
  }
}

function joined(parts: readonly StoredArray[], layer: number, folder: string): ImportedRows {
  const width = parts[0]!.shape[1]!;
  const count = parts.reduce((sum, { shape }) => sum + shape[0]!, 0);
  const rows = new Float32Array(count * width);
  let at = 0;
  for (const [i, part] of parts.entries()) {
    const called = `${folder}: layer_${layer}_${i * statementsPerFile}.pt`;
    const [statements, partWidth] = part.shape;
    if ((i < parts.length - 1 && statements !== statementsPerFile) || partWidth !== width) {
      throw new FormatError(
        "format_invalid",
        `${called} is [${part.shape.join(", ")}]; expected [${statementsPerFile}, ${width}]`,
        { layer },
      );
    }
    rows.set(importedRows(layer, part, called).rows, at);
    at += statements! * width;
  }
  return { layer, count, width, rows };
}
