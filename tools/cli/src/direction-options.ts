import { basename, extname } from "node:path";
import {
  type Direction,
  type DirectionFormat,
  directionFormats,
  type LayerConvention,
  layerConventions,
  readDirectionFile,
} from "@residua/lens";
import { UsageError } from "./usage-error.ts";

/** The format that a file's name ends in. */
export function formatOf(path: string, option: string): DirectionFormat {
  const ending = extname(path).slice(1);
  const found = directionFormats.find((format) => format === ending);
  if (found !== undefined) return found;
  const allowed = directionFormats.map((format) => `.${format}`).join(", ");
  throw new UsageError(`${option}: ${path} ends in none of ${allowed}`);
}

export function parseConvention(text: string): LayerConvention {
  if (Object.hasOwn(layerConventions, text)) return text as LayerConvention;
  const known = Object.entries(layerConventions).map(([name, { means }]) => `  ${name}: ${means}`);
  throw new UsageError(`--convention: "${text}" is not known; give one of\n${known.join("\n")}`);
}

/** The directions of a file that residua saved. */
export function readSaved(path: string): Promise<readonly Direction[]> {
  return readDirectionFile(path, basename(path, ".safetensors"));
}
