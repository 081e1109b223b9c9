import type * as z from "zod";
import { eachOnce } from "./field.ts";
import type { WireSteeringVector } from "./wire-steering.ts";

/** Bytes of a number, by how a tensor's data may be written; int16 holds the bits of bfloat16. */
const widths: Readonly<Record<string, number>> = { float32: 4, float16: 2, int16: 2 };

/**
 * What of a steering vector no server could carry out. Sources: vllm-lens 1.3.0 on vLLM 0.30.0, which refuses the most of
 * it, takes rows and positions that do not match and steers otherwise than was asked, and with a number that is not finite
 * spoils the requests that come after.
 */
export function checkSteeringForm(vector: WireSteeringVector, context: z.RefinementCtx): void {
  const { activations, layer_indices: layers, position_indices: positions } = vector;
  const { data, dtype, shape, compression } = activations;
  const problem = (path: string[], message: string) => context.addIssue({ code: "custom", path, message });

  const dimensions = `[${shape.join(", ")}]`;
  if ((shape.length !== 2 && shape.length !== 3) || shape.includes(0)) {
    problem(
      ["activations", "shape"],
      `${dimensions}: [layers, hidden] or [layers, positions, hidden], none 0`,
    );
  } else if (shape[0] !== layers.length) {
    problem(
      ["layer_indices"],
      `${layers.length} layers for a shape of ${dimensions}: as many as its first number`,
    );
  } else if (positions && positions.length !== (shape.length === 3 ? shape[1] : undefined)) {
    const allowed =
      shape.length === 3 ? `as many as its second number` : "left out: it is added at every position";
    problem(["position_indices"], `${positions.length} positions for a shape of ${dimensions}: ${allowed}`);
  }
  if (!eachOnce(layers))
    problem(["layer_indices"], "each layer once: of two rows for a layer one would be lost");

  const width = Object.hasOwn(widths, dtype) ? widths[dtype] : undefined;
  if (width === undefined) {
    problem(["activations", "dtype"], `${Object.keys(widths).join(", ")} (the bits of bfloat16)`);
    return;
  }
  if (compression !== undefined && compression !== "zstd") {
    problem(["activations", "compression"], "zstd, or left out");
    return;
  }
  const bytes = bytesOf(data);
  if (bytes === undefined)
    problem(["activations", "data"], "base64 of the standard alphabet, with its padding");
  else if (compression === "zstd") {
    if (!statesSize(data))
      problem(["activations", "data"], "a zstd frame that states the size of its content");
  } else {
    const expected = shape.reduce((product, size) => product * size, width);
    if (bytes !== expected) {
      problem(
        ["activations", "data"],
        `${bytes} bytes for ${dtype} of a shape of ${dimensions}: ${expected}`,
      );
    } else if (!isFinite(data, dtype)) problem(["activations", "data"], "finite numbers");
  }
}

/** Bytes that a base64 text holds; undefined when it is none. */
function bytesOf(text: string): number | undefined {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return undefined;
  return (text.length / 4) * 3 - (text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0);
}

/** Whether the header of a zstd frame has the size of the content (RFC 8878, 3.1.1.1). */
function statesSize(base64: string): boolean {
  const header = atob(base64.slice(0, 8));
  const descriptor = header.charCodeAt(4);
  return header.startsWith("\x28\xb5\x2f\xfd") && (descriptor >> 6 !== 0 || (descriptor & 0x20) !== 0);
}

/** The byte that ends a number holds its sign and most of its exponent; all ones there are an infinity or no number. */
function isFinite(base64: string, dtype: string): boolean {
  const width = dtype === "float32" ? 4 : 2;
  const ones = dtype === "float16" ? 0x7c00 : 0x7f80;
  // Whole numbers in each piece: 16 characters are 12 bytes.
  const piece = 2 ** 16;
  for (let from = 0; from < base64.length; from += piece) {
    const bytes = atob(base64.slice(from, from + piece));
    for (let end = width - 1; end < bytes.length; end += width) {
      const high = (bytes.charCodeAt(end) << 8) | bytes.charCodeAt(end - 1);
      if ((high & ones) === ones) return false;
    }
  }
  return true;
}
