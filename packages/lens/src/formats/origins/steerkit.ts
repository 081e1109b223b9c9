import { checkFormatArguments } from "../../arguments/check-arguments.ts";
import { fields, optional, text } from "../../arguments/kinds.ts";
import { storedFloats } from "../arrays/stored-floats.ts";
import {
  checkProcessedWeights,
  layerOfTransformerLensName,
  type TransformerLensWeights,
} from "../conventions/transformer-lens-name.ts";
import { convertLayer } from "../conventions/layer-convention.ts";
import { FormatError } from "../format-error.ts";
import type { Direction } from "../../steering/direction.ts";
import { checkDirections } from "../check-directions.ts";
import { openSafetensors, type SafetensorsFile } from "../safetensors/read-safetensors.ts";

/** A probe of steerkit, one of its directions. */
export interface SteerkitProbe extends Direction {
  readonly model: string;
  /** As the file names them: logistic, mean difference and so on. */
  readonly methods: readonly string[];
}

/**
 * A `.probe.safetensors` of steerkit (schema 3): unit directions [hidden size] of one layer, by method, of which the file's
 * default is taken where none is named. steerkit loads models by TransformerLens with processed weights; say in `weights`
 * what that means for this model. Throws FormatError, `layer_convention` where the probe is at no block's output.
 */
export async function readSteerkitProbe(
  path: string,
  options: { method?: string; weights: TransformerLensWeights },
): Promise<SteerkitProbe> {
  checkFormatArguments("readSteerkitProbe", {
    path: [path, text],
    options: [options, fields({ method: optional(text), weights: text })],
  });
  const { method, weights } = options;
  checkProcessedWeights(weights);
  const file = await openSafetensors(path);
  try {
    return await readProbe(file, path, method);
  } finally {
    await file.close();
  }
}

async function readProbe(
  file: SafetensorsFile,
  path: string,
  method: string | undefined,
): Promise<SteerkitProbe> {
  const { metadata } = file;
  const layers = whole(metadata["n_total_layers"], "n_total_layers", path);
  const stated = convertLayer({
    from: "steerkit",
    to: "residua",
    layer: whole(metadata["layer"], "layer", path),
    layers,
  });
  const layer = layerOfTransformerLensName(
    metadata["hook_name"] ?? `blocks.${stated}.hook_${metadata["hook_site"]}`,
    layers,
  );
  const methods = [...file.entries.keys()]
    .filter((name) => name.startsWith("direction."))
    .map((name) => name.slice("direction.".length));
  const chosen = method ?? metadata["default_method"] ?? "logistic";
  if (!methods.includes(chosen)) {
    throw new FormatError(
      "format_missing",
      `${path} has no direction by ${JSON.stringify(chosen)}; it has ${methods.join(", ") || "none"}`,
    );
  }
  const vector = storedFloats(await file.read(`direction.${chosen}`), path);
  checkDirections([{ layer, vector }], { layers }, path);
  return { layer, vector, model: metadata["model_id"] ?? "", method: `steerkit: ${chosen}`, methods };
}

function whole(text: string | undefined, field: string, path: string): number {
  if (text !== undefined && /^-?\d{1,6}$/.test(text)) return Number(text);
  throw new FormatError(
    "format_invalid",
    `${path} has the metadata ${field} ${JSON.stringify(text ?? null)}; is it a steerkit probe?`,
  );
}
