import type { Completion } from "@residua/client";
import { makeCapture } from "../../src/capture/make-capture.ts";
import { float32ToBf16 } from "../../src/codec/bfloat16.ts";
import type { Tensor } from "../../src/codec/tensor-codec.ts";
import type { Capture, CapturedToken } from "../../src/lens-types.ts";

const hiddenSize = 4;

/** Named tokens, such as a server gives them: `null` where it tells nothing. */
export interface MadeTokens {
  prompt: string | number[];
  names: (string | null)[];
  /** Names of generated tokens, and their text where it is not just these. */
  generated?: string[];
  text?: string;
  bosTokenId?: number | null;
  firstId?: number | null;
  dtype?: "bfloat16" | "float32";
  layers?: number[];
}

/** A capture with these tokens. Number i of the row of layer L and position p is L × 100 + p + i / 4. */
export function madeCapture(made: MadeTokens): Capture {
  const { prompt, names, generated = [" end"], bosTokenId = 0, layers = [2, 5] } = made;
  const firstId = made.firstId === undefined ? (names[0] === null ? bosTokenId : 100) : made.firstId;
  const tokens: CapturedToken[] = [
    ...names.map((text, i) => ({ id: i === 0 ? firstId : 100 + i, text, role: "prompt" as const })),
    ...generated.map((text, i) => ({ id: 500 + i, text, role: "generated" as const })),
  ];
  const positions = tokens.length - 1;
  const values = new Float32Array(layers.length * positions * hiddenSize);
  layers.forEach((layer, l) => {
    for (let p = 0; p < positions; p++)
      for (let i = 0; i < hiddenSize; i++)
        values[(l * positions + p) * hiddenSize + i] = layer * 100 + p + i / 4;
  });
  return captureOf({
    tokens,
    layers,
    values,
    dtype: made.dtype ?? "bfloat16",
    positions,
    prompt,
    bosTokenId,
    text: made.text ?? generated.join(""),
  });
}

/** A capture of these values, `[layers, positions, hiddenSize]`. */
export function captureOf(parts: {
  tokens: CapturedToken[];
  layers: number[];
  positions: number;
  values: Float32Array;
  dtype: "bfloat16" | "float32";
  prompt: string | number[];
  bosTokenId: number | null;
  text: string;
}): Capture {
  const { values, layers, positions, dtype, text, ...rest } = parts;
  const shape = [layers.length, positions, values.length / layers.length / positions];
  const tensor: Tensor =
    dtype === "float32" ? { dtype, shape, values } : { dtype, shape, bits: float32ToBf16(values) };
  const completion = { model: "m", choices: [{ index: 0, text }] } as unknown as Completion;
  const server = {
    profile: "acs",
    version: undefined,
    fingerprint: undefined,
    checkpoint: undefined,
    normMatch: undefined,
    selfTest: undefined,
  };
  return makeCapture({ ...rest, model: "m", layers, tensor, checks: [], server, completion });
}

/** How servers name the parts of a text's UTF-8 bytes: a part of a character "", its last part by all that was not named. */
export function namesOf(bytes: Uint8Array, cuts: readonly number[]): string[] {
  let from = 0;
  return cuts.map((start, i) => {
    const end = cuts[i + 1] ?? bytes.length;
    // A cut within a character is at a continuation byte.
    if (end < bytes.length && ((bytes[end] ?? 0) & 0xc0) === 0x80) return "";
    const name = new TextDecoder("utf-8", { ignoreBOM: true }).decode(
      bytes.subarray(Math.min(from, start), end),
    );
    from = end;
    return name;
  });
}
