import { z } from "zod";
import { ModelFolderError } from "./engine-error.ts";

/**
 * How a model stretches its rotary angles: `linear` divides all of them; `llama3` those of long wavelengths,
 * with a ramp between; `divisors` each by its own number [headSize / 2], as GGUF files store llama3.
 */
export type RopeScaling =
  | { readonly type: "linear"; readonly factor: number }
  | {
      readonly type: "llama3";
      readonly factor: number;
      readonly lowFrequencyFactor: number;
      readonly highFrequencyFactor: number;
      readonly originalContext: number;
    }
  | { readonly type: "divisors"; readonly divisors: ArrayLike<number> };

const positive = z.number().positive();
const linearSchema = z.looseObject({ factor: positive });
const llama3Schema = z.looseObject({
  factor: positive,
  low_freq_factor: positive,
  high_freq_factor: positive,
  original_max_position_embeddings: positive.optional(),
});

/** The scaling that a config's rope object names: newer configs say rope_type, older ones type. */
export function ropeTypeOf(rope: { rope_type?: string | undefined; type?: string | undefined }): string {
  return rope.rope_type ?? rope.type ?? "default";
}

/** Whether the engine computes this kind of scaling. */
export function isRopeType(type: string): boolean {
  return ["default", "linear", "llama3"].includes(type);
}

/** Reads the numbers of a config's rope object, whose type must be one of ours. Throws `config_invalid`. */
export function parseRopeScaling(
  rope: { rope_type?: string | undefined; type?: string | undefined },
  context: number,
  source: string,
): RopeScaling | null {
  const type = ropeTypeOf(rope);
  if (type === "default") return null;
  const parsed = (type === "linear" ? linearSchema : llama3Schema).safeParse(rope);
  if (!parsed.success) refuse(source, parsed.error.issues.map(({ path }) => path.join(".")).join(", "));
  if (type === "linear") return { type, factor: parsed.data.factor };
  const llama3 = parsed.data as z.infer<typeof llama3Schema>;
  if (llama3.high_freq_factor <= llama3.low_freq_factor)
    refuse(source, "high_freq_factor over low_freq_factor");
  return {
    type: "llama3",
    factor: llama3.factor,
    lowFrequencyFactor: llama3.low_freq_factor,
    highFrequencyFactor: llama3.high_freq_factor,
    originalContext: llama3.original_max_position_embeddings ?? context,
  };
}

/**
 * The scaled form of frequency number i, in float32 steps.
 * Source: `_compute_llama3_parameters` and `_compute_linear_scaling_rope_parameters` of transformers.
 */
export function scaleFrequency(scaling: RopeScaling, frequency: number, i: number): number {
  const { fround } = Math;
  if (scaling.type === "divisors") return fround(frequency / scaling.divisors[i]!);
  const scaled = fround(frequency / scaling.factor);
  if (scaling.type === "linear") return scaled;
  const { lowFrequencyFactor: low, highFrequencyFactor: high, originalContext } = scaling;
  const wavelength = fround((2 * Math.PI) / frequency);
  if (wavelength > originalContext / low) return scaled;
  if (wavelength < originalContext / high) return frequency;
  const smooth = fround(fround(fround(originalContext / wavelength) - low) / (high - low));
  return fround(fround(fround(1 - smooth) * scaled) + fround(smooth * frequency));
}

function refuse(source: string, wanted: string): never {
  throw new ModelFolderError("config_invalid", `the rotary scaling in ${source} lacks a usable ${wanted}`, {
    wanted,
  });
}
