import * as z from "zod";
import { checkFormatArguments } from "../../arguments/check-arguments.ts";
import { fields, optional, text, whole } from "../../arguments/kinds.ts";
import type { Direction } from "../../steering/direction.ts";
import { readJsonFile } from "../files/read-json-file.ts";
import { storedFloats } from "../arrays/stored-floats.ts";
import { modelFields, type ModelSize } from "../check-directions.ts";
import { conventionKind, type LayerConvention } from "../conventions/layer-convention.ts";
import { FormatError } from "../format-error.ts";
import { readControlVector } from "../gguf/control-vector.ts";
import { readNpy } from "../npy/npy.ts";
import { openSafetensors } from "../safetensors/read-safetensors.ts";
import { agreedConvention, directionsOf } from "./direction-table.ts";
import { formatKind, requireGguf, type DirectionFormat } from "./export-directions.ts";

export interface ImportOptions extends ModelSize {
  readonly format: DirectionFormat;
  /** How the file counts layers, where it does not say so. */
  readonly convention?: LayerConvention;
  /** The layer, as the convention counts, of a `.npy` of one vector that has no `FILE.json` beside it. */
  readonly layer?: number;
}

const importOptions = fields({
  format: formatKind,
  convention: optional(conventionKind),
  layer: optional(whole(0)),
  ...modelFields,
});

const tableSchema = z.looseObject({
  layer_convention: z.string().optional(),
  layers: z.array(z.int()).min(1),
  methods: z.array(z.string()).optional(),
});
const jsonSchema = tableSchema.extend({ vectors: z.array(z.array(z.number())) });

/**
 * Reads directions that `exportDirections` or another tool wrote, layers counted as we count them. A file that does not state
 * its convention is refused unless it is said. Throws FormatError.
 */
export async function importDirections(path: string, options: ImportOptions): Promise<readonly Direction[]> {
  checkFormatArguments("importDirections", { path: [path, text], options: [options, importOptions] });
  const { format, convention, layer, ...model } = options;
  switch (format) {
    case "gguf":
      requireGguf(convention ?? "llama.cpp");
      return (await readControlVector(path, model)).directions;
    case "safetensors":
      return importSafetensors(path, convention, model);
    case "npy":
      return importNpy(path, convention, layer, model);
    case "json": {
      const { vectors, ...table } = parse(jsonSchema, await readJsonFile(path), path);
      const rows = vectors.map((values) => Float32Array.from(values));
      return fromTable(table, rows, convention, model, path);
    }
  }
}

async function importSafetensors(path: string, convention: LayerConvention | undefined, model: ModelSize) {
  const file = await openSafetensors(path);
  try {
    const rows = new Map<number, Float32Array>();
    for (const name of file.entries.keys()) {
      const layer = /^layer_(\d{1,6})$/.exec(name)?.[1];
      if (layer === undefined) {
        throw new FormatError(
          "format_invalid",
          `${path} has the tensor ${JSON.stringify(name)}; expected layer_N`,
        );
      }
      rows.set(Number(layer), storedFloats(await file.read(name), `${path}: ${name}`));
    }
    const layers = [...rows.keys()].sort((a, b) => a - b);
    const table = {
      layers,
      layer_convention: file.metadata["layer_convention"],
      methods: methodsOf(file.metadata["methods"]),
    };
    return fromTable(
      table,
      layers.map((layer) => rows.get(layer)!),
      convention,
      model,
      path,
    );
  } finally {
    await file.close();
  }
}

async function importNpy(
  path: string,
  convention: LayerConvention | undefined,
  layer: number | undefined,
  model: ModelSize,
) {
  const array = await readNpy(path);
  const beside = await readJsonFile(`${path}.json`).catch((error: unknown) => {
    if (error instanceof FormatError && error.code === "format_missing") return null;
    throw error;
  });
  if (beside === null && layer === undefined) {
    throw new FormatError(
      "layer_convention",
      `${path} has no ${path}.json beside it that says its layers; say layer and convention`,
    );
  }
  const table = beside === null ? { layers: [layer!] } : parse(tableSchema, beside, `${path}.json`);
  const width = array.shape.at(-1) ?? 0;
  const count = array.shape.length === 1 ? 1 : array.shape[0]!;
  if (array.shape.length < 1 || array.shape.length > 2 || count !== table.layers.length) {
    throw new FormatError(
      "format_invalid",
      `${path} has the shape [${array.shape.join(", ")}] for ${table.layers.length} layers; expected [layers, hidden size]`,
    );
  }
  const values = storedFloats(array, path);
  const rows = table.layers.map((_, i) => values.slice(i * width, (i + 1) * width));
  return fromTable(table, rows, convention, model, path);
}

type Table = Pick<z.infer<typeof tableSchema>, "layers" | "layer_convention" | "methods">;

function fromTable(
  { layers, layer_convention, methods = [] }: Table,
  rows: readonly Float32Array[],
  asked: LayerConvention | undefined,
  model: ModelSize,
  path: string,
): readonly Direction[] {
  if (rows.length !== layers.length) {
    throw new FormatError("format_invalid", `${path} has ${rows.length} vectors for ${layers.length} layers`);
  }
  const convention = agreedConvention(layer_convention, asked, path);
  return directionsOf({ convention, layers, methods, rows }, model, path);
}

function methodsOf(text: string | undefined): string[] | undefined {
  if (text === undefined) return undefined;
  try {
    return z.array(z.string()).parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function parse<T>(schema: z.ZodType<T>, value: unknown, path: string): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new FormatError("format_invalid", `${path}: ${z.prettifyError(parsed.error).replaceAll("\n", " ")}`);
}
