import { Buffer } from "node:buffer";
import { TensorError } from "./tensor-error.ts";

/**
 * Bytes of standard base64 with padding. Node's own decoder skips what it does not know, so every character must have
 * counted: else `tensor_base64`.
 */
export function decodeBase64(text: string): Uint8Array {
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  const expected = (text.length / 4) * 3 - padding;
  const bytes = Buffer.from(text, "base64");
  const whole = text.length % 4 === 0 && bytes.byteLength === expected;
  if (whole && !text.includes("-") && !text.includes("_")) return bytes;
  throw new TensorError(
    "tensor_base64",
    `data is not base64: ${text.length} characters gave ${bytes.byteLength} bytes; expected the standard alphabet with padding, ${Math.floor(expected)} bytes`,
    { characters: text.length, bytes: bytes.byteLength },
  );
}
