import { checkFormatArguments } from "../../arguments/check-arguments.ts";
import { anyText, fields, listOf, oneOf, optional, text } from "../../arguments/kinds.ts";
import type { Direction } from "../../steering/direction.ts";
import { storeFloats } from "../arrays/stored-floats.ts";
import { modelFields, type ModelSize } from "../check-directions.ts";
import { conventionKind, type LayerConvention } from "../conventions/layer-convention.ts";
import { writeFileWhole } from "../files/write-file.ts";
import { FormatError } from "../format-error.ts";
import { writeControlVector } from "../gguf/control-vector.ts";
import { encodeNpy } from "../npy/npy.ts";
import { writeSafetensors } from "../safetensors/write-safetensors.ts";
import { tableOf, type DirectionTable } from "./direction-table.ts";

/** The forms in which directions are exchanged. */
export const directionFormats = ["gguf", "safetensors", "npy", "json"] as const;
export type DirectionFormat = (typeof directionFormats)[number];

export interface ExportOptions extends ModelSize {
  readonly format: DirectionFormat;
  /** How the file counts layers. A GGUF control vector counts as llama.cpp and repeng do, and no other way. */
  readonly convention: LayerConvention;
  /** For GGUF: `model_type` of config.json, such as "llama". */
  readonly modelHint?: string;
}

export const formatKind = oneOf(directionFormats);
const exportOptions = fields({
  format: formatKind,
  convention: conventionKind,
  modelHint: optional(anyText),
  ...modelFields,
});

/**
 * Writes directions for another tool, layers counted by its convention, whole or not at all. `safetensors` and `json` state
 * the convention within; beside a `.npy`, [layers, width], which cannot, stands `FILE.json` with it. Throws FormatError.
 */
export async function exportDirections(
  path: string,
  directions: readonly Direction[],
  options: ExportOptions,
): Promise<void> {
  checkFormatArguments("exportDirections", {
    path: [path, text],
    directions: [directions, listOf(fields({ method: anyText }, { loose: true }))],
    options: [options, exportOptions],
  });
  const { format, convention, modelHint, ...model } = options;
  if (format === "gguf") {
    requireGguf(convention);
    return writeControlVector(path, { modelHint: modelHint ?? "", directions }, model);
  }
  const table = tableOf(directions, convention, model);
  switch (format) {
    case "safetensors":
      return exportSafetensors(path, table);
    case "npy":
      return exportNpy(path, table);
    case "json":
      return writeText(path, jsonOf(table, table.rows.map(jsonRow)));
  }
}

async function exportSafetensors(
  path: string,
  { convention, layers, methods, rows }: DirectionTable,
): Promise<void> {
  const arrays = new Map(rows.map((row, i) => [`layer_${layers[i]}`, storeFloats(row, [row.length])]));
  const plans = [...arrays].map(([name, { dtype, shape }]) => ({ name, dtype, shape }));
  const metadata = { layer_convention: convention, methods: JSON.stringify(methods) };
  await writeSafetensors(path, plans, (name) => arrays.get(name)!, metadata);
}

async function exportNpy(path: string, table: DirectionTable): Promise<void> {
  const { rows } = table;
  const width = rows[0]!.length;
  const values = new Float32Array(rows.length * width);
  rows.forEach((row, i) => values.set(row, i * width));
  await writeText(`${path}.json`, jsonOf(table));
  await writeFileWhole(path, [encodeNpy(storeFloats(values, [rows.length, width]))]);
}

function jsonOf({ convention, layers, methods }: DirectionTable, vectors?: readonly string[]): string {
  const head = JSON.stringify({ layer_convention: convention, layers, methods });
  return vectors === undefined ? `${head}\n` : `${head.slice(0, -1)},"vectors":[${vectors.join(",")}]}\n`;
}

/** JSON.stringify would write −0 as 0. */
function jsonRow(row: Float32Array): string {
  return `[${Array.from(row, (value) => (Object.is(value, -0) ? "-0.0" : String(value))).join(",")}]`;
}

async function writeText(path: string, text: string): Promise<void> {
  await writeFileWhole(path, [new TextEncoder().encode(text)]);
}

/** Error `layer_convention` for a GGUF file that would count layers in a way of its own. */
export function requireGguf(convention: LayerConvention): void {
  if (convention === "llama.cpp" || convention === "repeng") return;
  throw new FormatError(
    "layer_convention",
    `a GGUF control vector counts layers as llama.cpp and repeng do, not as ${convention}; say convention "llama.cpp"`,
  );
}
