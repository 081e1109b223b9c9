import { readFileSync } from "node:fs";
import { decodeTensor, tensorValues } from "../../src/codec/tensor-codec.ts";
import { TensorError } from "../../src/codec/tensor-error.ts";

export const fixture = (name: string) => readFileSync(new URL(`../../fixtures/${name}`, import.meta.url));

/** zstd frames of 24 bfloat16 numbers, in every form that the decoder must take or refuse. */
export const frames = JSON.parse(fixture("frames.json").toString()) as Record<string, string>;
/** The numbers in them. */
export const ramp = Array.from({ length: 24 }, (_, k) => k / 8 - 1);
export const bf16 = { dtype: "int16", original_dtype: "torch.bfloat16" };
export const rampWire = { ...bf16, shape: [2, 3, 4], compression: "zstd" };

/** `taken`, or the code of the TensorError. */
export const codeOf = (wire: unknown) =>
  decodeTensor(wire).then(
    () => "taken",
    (error: unknown) => (error instanceof TensorError ? error.code : `not a TensorError: ${String(error)}`),
  );

export const valuesOf = async (wire: unknown) => [...tensorValues(await decodeTensor(wire))];
