import type { ModelConfig } from "./model-config.ts";
import { scaleFrequency } from "./rope-scaling.ts";

/** Cosines and sines of the rotary angles, each [positions, headSize / 2]. */
export interface RopeTable {
  readonly cosines: Float32Array;
  readonly sines: Float32Array;
}

/** The angles position × theta^(−2i / headSize), scaled, in float32 steps as transformers computes them. */
export function ropeTable(
  config: Pick<ModelConfig, "contextLength" | "headSize" | "ropeTheta" | "ropeScaling">,
): RopeTable {
  const { contextLength: positions, headSize, ropeTheta: theta, ropeScaling } = config;
  const half = headSize / 2;
  const cosines = new Float32Array(positions * half);
  const sines = new Float32Array(positions * half);
  for (let i = 0; i < half; i++) {
    const plain = Math.fround(1 / theta ** ((2 * i) / headSize));
    const frequency = ropeScaling === null ? plain : scaleFrequency(ropeScaling, plain, i);
    for (let position = 0; position < positions; position++) {
      const angle = Math.fround(position * frequency);
      cosines[position * half + i] = Math.cos(angle);
      sines[position * half + i] = Math.sin(angle);
    }
  }
  return { cosines, sines };
}

/** Rotates `heads` heads of `headSize` values from `at` in place; value i is paired with i + headSize / 2. */
export function rotate(
  values: Float32Array,
  at: number,
  heads: number,
  headSize: number,
  table: RopeTable,
  position: number,
): void {
  const half = headSize / 2;
  const angles = position * half;
  for (let head = 0; head < heads; head++) {
    const first = at + head * headSize;
    for (let i = 0; i < half; i++) {
      const cosine = table.cosines[angles + i]!;
      const sine = table.sines[angles + i]!;
      const a = values[first + i]!;
      const b = values[first + half + i]!;
      values[first + i] = a * cosine - b * sine;
      values[first + half + i] = b * cosine + a * sine;
    }
  }
}
