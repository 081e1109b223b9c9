import { compressZstd, decompressZstd } from "@residua/engine/api";
import { changeJson, withBody } from "./change-json.ts";

interface StoredTensor {
  readonly data: string;
  readonly shape: readonly number[];
}

/**
 * An answer whose captured tensors have another zstd frame, in JSON or as the bytes of a handle. `change` takes the frame and the shape
 * [layers, positions, hidden].
 */
export async function changeFrames(
  response: Response,
  change: (frame: Uint8Array, shape: readonly number[]) => Uint8Array,
): Promise<Response> {
  const told = response.headers.get("x-vllm-lens-shape");
  if (told !== null) {
    const frame = new Uint8Array(await response.arrayBuffer());
    return withBody(response, new Uint8Array(change(frame, JSON.parse(told) as number[])));
  }
  return changeJson(response, (body) => {
    const activations = body["activations"] as Record<string, Partial<StoredTensor>> | undefined;
    if (activations === undefined) return null;
    const changed = Object.entries(activations).map(([name, tensor]) => {
      if (typeof tensor.data !== "string" || tensor.shape === undefined) return [name, tensor];
      const frame = change(Buffer.from(tensor.data, "base64"), tensor.shape);
      return [name, { ...tensor, data: Buffer.from(frame).toString("base64") }];
    });
    return { ...body, activations: Object.fromEntries(changed) as object };
  });
}

/** A frame whose bfloat16 bits were changed. */
export function changeBits(
  frame: Uint8Array,
  shape: readonly number[],
  change: (bits: Uint16Array) => void,
): Uint8Array {
  const length = 2 * shape.reduce((product, size) => product * size, 1);
  // A copy begins at an aligned address.
  const bytes = new Uint8Array(decompressZstd(frame, length, "activations"));
  change(new Uint16Array(bytes.buffer));
  return compressZstd(bytes);
}
