import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { loadModel, type Model } from "@residua/engine";
import { ablateModel } from "@residua/lens";

export const repositoryPath = (name: string) =>
  fileURLToPath(new URL(`../../../../${name}`, import.meta.url));

/** The direction of make_ablation.py. */
export function ablatedDirection(size: number): Float32Array {
  return Float32Array.from({ length: size }, (_, i) => (((i * 37 + 11) % 64) - 32) / 64);
}

/** The largest share of a row of any layer and position that lies along the direction: |h · r̂| / ‖h‖. */
export async function largestShare(
  model: Model,
  tokens: readonly number[],
  direction: Float32Array,
): Promise<number> {
  const { layers, hiddenSize } = model.config;
  const capture = Array.from({ length: layers }, (_, layer) => layer);
  const [generation] = await model.generate([{ prompt: tokens, maxTokens: 1, temperature: 0, capture }]);
  const length = Math.hypot(...direction);
  let largest = 0;
  for (const values of generation!.capture!.values) {
    for (let at = 0; at < values.length; at += hiddenSize) {
      const row = values.subarray(at, at + hiddenSize);
      const along = row.reduce((sum, value, i) => sum + value * direction[i]!, 0) / length;
      largest = Math.max(largest, Math.abs(along) / Math.hypot(...row));
    }
  }
  return largest;
}

/** Ablates a folder, loads the new one and hands it over; both are gone afterwards. */
export async function withAblated<T>(
  folder: string,
  vector: Float32Array,
  use: (model: Model) => Promise<T>,
): Promise<T> {
  const parent = await mkdtemp(join(tmpdir(), "residua-ablation-"));
  try {
    const to = join(parent, "model");
    await ablateModel({ model: folder, direction: { layer: 0, vector, method: "formula" }, to });
    const model = await loadModel(to);
    try {
      return await use(model);
    } finally {
      await model.dispose();
    }
  } finally {
    await rm(parent, { recursive: true, force: true });
  }
}
