import type { ActiveQuirks } from "../quirks/active-quirks.ts";
import { badRequest } from "./vllm-error.ts";

const field = "output_residual_stream";

/**
 * The layers that `output_residual_stream` names, ascending, each once: a JSON list of whole numbers in a string, or a
 * list of them; or `"all"`, every layer, which vllm-lens takes as it takes any word. An empty list asks for nothing. Throws
 * ApiError 400 for every other form: vllm-lens reads those as all layers or as none.
 */
export function readLayers(value: unknown, layers: number, quirks: ActiveQuirks): number[] {
  const list = typeof value === "string" ? parsed(value) : value;
  if (value === "all" || (!Array.isArray(list) && quirks.has("odd-selector-all-layers")))
    return Array.from({ length: layers }, (_, layer) => layer);
  if (!Array.isArray(list) || !list.every(Number.isInteger)) {
    throw badRequest(
      `${field}: give a list of layers, as a JSON string such as "[1,2]" or as a list of whole numbers, or the text all; vllm-lens would read anything else as all layers or as none`,
    );
  }
  const named = list as number[];
  const asked = quirks.has("unknown-layers-dropped")
    ? named.filter((layer) => layer >= 0 && layer < layers)
    : named;
  const outside = asked.find((layer) => layer < 0 || layer >= layers);
  if (outside !== undefined) {
    throw badRequest(
      `${field}: layer ${outside} is out of range; layers run from 0 to ${layers - 1}, and vllm-lens would leave it out`,
    );
  }
  return [...new Set(asked)].sort((a, b) => a - b);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
