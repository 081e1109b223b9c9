import type { Checkpoint } from "./checkpoint.ts";
import { ggufTensorName } from "./gguf-config.ts";
import type { GgufFile } from "./gguf-file.ts";
import { refuseGguf } from "./gguf-header.ts";
import type { ModelConfig } from "./model-config.ts";
import { decodeTensor } from "./tensor-formats.ts";

/** The weights of a GGUF file under the names and in the row order of a Hugging Face folder. */
export function ggufCheckpoint(gguf: GgufFile, config: ModelConfig): Checkpoint {
  const raw: Checkpoint["raw"] = async (name, shape) => {
    const stored = ggufTensorName(name);
    const tensor = gguf.tensors.get(stored) ?? refuseGguf(gguf.file, `has no tensor ${stored}`);
    if (tensor.shape.join() !== shape.join()) {
      const shapes = [tensor.shape, shape].map((sizes) => `[${sizes.join(", ")}]`);
      refuseGguf(
        gguf.file,
        `tensor ${stored} has shape ${shapes[0]} where its metadata asks for ${shapes[1]}`,
      );
    }
    return { bytes: await gguf.read(stored), format: tensor.format };
  };
  const interleaved = gguf.metadata.get("general.architecture") === "llama";
  return {
    raw,
    floats: async (name, shape) => {
      const { bytes, format } = await raw(name, shape);
      const values = decodeTensor(bytes, format);
      return interleaved && /\.[qk]_proj\./.test(name)
        ? halvesFromPairs(values, shape[0]!, config.headSize)
        : values;
    },
    close: () => gguf.close(),
  };
}

/**
 * llama.cpp rotates neighbouring values of a head, transformers value i with value i + headSize / 2; its converter
 * reorders the query and key rows of Llama models for that. This gives them back their order.
 */
function halvesFromPairs(values: Float32Array, rows: number, headSize: number): Float32Array {
  const width = values.length / rows;
  const half = headSize / 2;
  const ordered = new Float32Array(values.length);
  for (let row = 0; row < rows; row++) {
    const within = row % headSize;
    const from = row - within + 2 * (within % half) + Math.floor(within / half);
    ordered.set(values.subarray(from * width, (from + 1) * width), row * width);
  }
  return ordered;
}
