import { type Capture, ResiduaError, select } from "@residua/lens";
import type { CaptureFormat } from "./dataset-journal.ts";
import { rowSelection, type Selection } from "./select-rows.ts";
import type { ExampleRows } from "../shards/shard-rows.ts";

/** The selected rows of a capture, copied, so that the capture itself can go; and what it says of the model. */
export function selectFromCapture(
  capture: Capture,
  index: number,
  selection: Selection,
): { rows: ExampleRows; format: CaptureFormat } {
  const { hiddenSize, positions, tokens, layers } = select(capture, rowSelection(selection));
  return {
    rows: {
      index,
      positions: [...positions],
      tokenIds: tokens.map(({ id }) => id),
      tokens: tokens.map(({ text }) => text),
      bits: layers.map((layer) => {
        if (layer.dtype === "bfloat16") return layer.bits;
        throw new ResiduaError(
          "not_bfloat16",
          `the server sent ${capture.dtype}; datasets hold bfloat16 rows`,
        );
      }),
    },
    format: {
      checkpoint: capture.completion.model,
      hiddenSize,
      layers: layers.map(({ layer }) => layer),
    },
  };
}
