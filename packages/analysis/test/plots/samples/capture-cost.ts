import type { CaptureCost } from "../../../src/results/capture-cost.ts";

const limit = 33_554_432;

export function sampleCaptureCost(): CaptureCost {
  const hiddenSize = 16_384;
  const plan = (name: string, layers: number, positions: number, wouldFit: string | null) => {
    const numbers = layers * positions * hiddenSize;
    return { name, layers, positions, numbers, fits: numbers <= limit, wouldFit };
  };
  return {
    schemaVersion: 1,
    kind: "capture-cost",
    hiddenSize,
    limit,
    plans: [
      plan("last token of short prompts, every layer", 126, 12, null),
      plan("every token, one layer", 1, 900, null),
      plan("the long statement", 3, 683, "2 of 3 layers at 683 tokens, or 682 tokens at 3 layers"),
      plan(
        "chat transcripts, all layers",
        126,
        2048,
        "1 of 126 layers at 2,048 tokens, or 16 tokens at 126 layers",
      ),
      plan("nothing at all", 0, 0, null),
    ],
  };
}
