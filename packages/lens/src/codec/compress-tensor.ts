import { Buffer } from "node:buffer";
import type { WireTensor } from "@residua/client";
import { checkTensorArguments } from "../arguments/check-arguments.ts";
import { anyText, fields, kind } from "../arguments/kinds.ts";
import { compressZstd } from "./compress-zstd.ts";
import { decodeBase64 } from "./decode-base64.ts";

const compression = kind('"zstd" or none', (value) => (value ?? "zstd") === "zstd");
const plainTensor = fields({ data: anyText, compression }, { loose: true });

/**
 * The same wire tensor with its bytes in one zstd frame, whose header has the content size. Activations shrink little
 * (bfloat16 to about 0.8, float32 to about 0.9 of their size); sparse directions a lot. Throws TensorError `tensor_form`,
 * `tensor_base64`.
 */
export async function compressTensor(tensor: WireTensor): Promise<WireTensor> {
  checkTensorArguments("compressTensor", { tensor: [tensor, plainTensor] });
  if (tensor.compression === "zstd") return tensor;
  const frame = await compressZstd(decodeBase64(tensor.data));
  const data = Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength).toString("base64");
  return { ...tensor, data, compression: "zstd" };
}
