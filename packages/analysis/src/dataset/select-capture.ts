import type { Capture } from "@residua/lens";
import type { CaptureFormat } from "./dataset-journal.ts";
import { selectRows, type Selection } from "./select-rows.ts";
import type { ExampleRows } from "./shard-rows.ts";

/** The selected rows of a capture, copied, so that the capture itself can go; and what it says of the model. */
export function selectFromCapture(
  capture: Capture,
  index: number,
  selection: Selection,
): { rows: ExampleRows; format: CaptureFormat } {
  const { hiddenSize } = capture;
  const positions = selectRows(selection, capture.positions);
  const layers = [...capture.layers].sort((a, b) => a - b);
  const bits = layers.map((layer) => {
    const block = new Uint16Array(positions.length * hiddenSize);
    positions.forEach((position, i) => block.set(capture.rowBits({ layer, position }), i * hiddenSize));
    return block;
  });
  const tokens = positions.map((position) => capture.tokens[position]);
  return {
    rows: {
      index,
      positions,
      tokenIds: tokens.map((token) => token?.id ?? null),
      tokens: tokens.map((token) => token?.text ?? null),
      bits,
    },
    format: { checkpoint: capture.completion.model, hiddenSize, layers },
  };
}
