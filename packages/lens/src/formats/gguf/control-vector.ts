import { checkFormatArguments } from "../../arguments/check-arguments.ts";
import { bytes as bytesKind, fields, kind, text } from "../../arguments/kinds.ts";
import { storedFloats } from "../arrays/stored-floats.ts";
import { readWhole } from "../files/read-whole.ts";
import { writeFileWhole } from "../files/write-file.ts";
import { FormatError } from "../format-error.ts";
import { checkDirections, modelKind, type LayerVector, type ModelSize } from "../check-directions.ts";
import type { Direction } from "../../steering/direction.ts";
import { encodeGguf } from "./gguf-writer.ts";
import { parseGguf, type GgufMetadata } from "./gguf-reader.ts";

/** A control vector of llama.cpp, repeng or steerkit. `direction.N` is added to the output of block N, as our layer N. */
export interface ControlVector {
  /** The family of the model, such as "llama"; null where the file states none (steerkit's do not). */
  readonly modelHint: string | null;
  /** Ascending by layer. */
  readonly directions: readonly Direction[];
}

const anything = kind("as its type says", () => true);
/** What they hold is checked by name when it is used. */
const vectorKind = fields({ modelHint: anything, directions: anything });

/**
 * A control vector that repeng and llama.cpp load: both need `model_hint` or layers from 1, and the other does not say so.
 * Errors `layer_convention` (layer 0 has no slot), `format_invalid`, `format_value`.
 */
export function encodeControlVector(
  vector: { modelHint: string; directions: readonly LayerVector[] },
  model: ModelSize = {},
): Uint8Array {
  checkFormatArguments("encodeControlVector", { vector: [vector, vectorKind], model: [model, modelKind] });
  const { modelHint, directions } = vector;
  checkDirections(directions, model, "the control vector");
  if (directions.some(({ layer }) => layer === 0)) {
    throw new FormatError(
      "layer_convention",
      "a GGUF control vector has no slot for layer 0: llama.cpp takes layers from 1; leave it out",
      { layer: 0 },
    );
  }
  if (typeof modelHint !== "string" || modelHint === "") {
    throw new FormatError(
      "format_invalid",
      `modelHint ${JSON.stringify(modelHint)} given; allowed: the model_type of config.json, such as "llama" (repeng refuses a file without it)`,
    );
  }
  const inOrder = [...directions].sort((a, b) => a.layer - b.layer);
  return encodeGguf(
    {
      "general.architecture": "controlvector",
      "controlvector.model_hint": modelHint,
      "controlvector.layer_count": inOrder.length,
    },
    new Map(inOrder.map(({ layer, vector }) => [`direction.${layer}`, vector])),
  );
}

/** Reads a control vector that is in memory. Throws FormatError. */
export function parseControlVector(
  bytes: Uint8Array,
  model: ModelSize = {},
  file = "the control vector",
): ControlVector {
  checkFormatArguments("parseControlVector", {
    bytes: [bytes, bytesKind],
    model: [model, modelKind],
    file: [file, text],
  });
  const { metadata, tensors } = parseGguf(bytes, file);
  const architecture = metadata.get("general.architecture");
  if (architecture !== "controlvector") {
    throw new FormatError(
      "format_invalid",
      `${file} is a GGUF file of ${JSON.stringify(architecture ?? null)}; expected "controlvector"`,
      { file, architecture },
    );
  }
  const hint = modelHint(metadata);
  const method = `control vector${hint === null ? "" : ` of ${hint}`}`;
  const directions: Direction[] = [];
  for (const [name, tensor] of tensors) {
    if (tensor.shape.length !== 1) {
      throw new FormatError(
        "format_invalid",
        `${file}: ${name} has ${tensor.shape.length} dimensions; expected 1`,
        { file },
      );
    }
    directions.push({ layer: layerOf(name, file), vector: storedFloats(tensor, `${file}: ${name}`), method });
  }
  directions.sort((a, b) => a.layer - b.layer);
  checkDirections(directions, model, file);
  return { modelHint: hint, directions };
}

/** Reads a control vector file. Throws FormatError. */
export async function readControlVector(path: string, model: ModelSize = {}): Promise<ControlVector> {
  checkFormatArguments("readControlVector", { path: [path, text], model: [model, modelKind] });
  return parseControlVector(await readWhole(path), model, path);
}

/** Writes a control vector file, whole or not at all. Throws FormatError. */
export async function writeControlVector(
  path: string,
  vector: { modelHint: string; directions: readonly LayerVector[] },
  model: ModelSize = {},
): Promise<void> {
  await writeFileWhole(path, [encodeControlVector(vector, model)]);
}

function layerOf(name: string, file: string): number {
  const layer = /^direction\.(-?\d{1,9})$/.exec(name)?.[1];
  if (layer === undefined) {
    throw new FormatError(
      "format_invalid",
      `${file} has the tensor ${JSON.stringify(name)}; expected direction.N`,
      { file },
    );
  }
  if (Number(layer) >= 0) return Number(layer);
  throw new FormatError(
    "layer_convention",
    `${file} has ${name}: steerkit's layer -1 is the embedding, which is the output of no block`,
    { file, layer: Number(layer) },
  );
}

function modelHint(metadata: GgufMetadata): string | null {
  const hint = metadata.get("controlvector.model_hint");
  return typeof hint === "string" && hint !== "" ? hint : null;
}
