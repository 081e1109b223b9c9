import { type Capture, select } from "@residua/lens";
import type { CheckedExample } from "../examples/example.ts";
import type { ColumnValue } from "../shards/column-field.ts";
import type { RowBlock } from "../shards/row-block.ts";
import type { CaptureFormat } from "./dataset-journal.ts";
import { rowSelection, type Selection } from "./select-rows.ts";

/** The selected rows of one example, in memory: what a capture leaves behind. */
export interface ExampleRows {
  /** Index in the list of examples. */
  index: number;
  block: RowBlock;
}

/** The selected rows of a capture, copied, so that the capture itself can go; and what it says of the model. */
export function selectFromCapture(
  capture: Capture,
  { index, example }: { index: number; example: CheckedExample },
  selection: Selection,
): { rows: ExampleRows; format: CaptureFormat } {
  const { hiddenSize, positions, tokens, layers } = select(capture, rowSelection(selection));
  const each = (value: ColumnValue): ColumnValue[] => positions.map(() => value);
  const once = (value: ColumnValue): ColumnValue[] => positions.map((_, i) => (i === 0 ? value : null));
  const ids = capture.tokens.map(({ id }) => id);
  const { prompt } = example;
  const columns = new Map<string, ColumnValue[]>([
    ["example", each(example.id)],
    ["group", each(example.group)],
    ["split", each(example.split)],
    ...Object.entries({ ...example.labels, ...example.extra }).map(
      ([name, value]): [string, ColumnValue[]] => [name, each(value)],
    ),
    ["position", [...positions]],
    ["token_id", tokens.map(({ id }) => id)],
    ["token", tokens.map(({ text }) => text)],
    ["role", tokens.map(({ role }) => role)],
    ["text", once(typeof prompt === "string" ? prompt : null)],
    ["token_ids", once(ids.includes(null) ? null : (ids as number[]))],
    ["prompt_length", once(capture.tokens.filter(({ role }) => role === "prompt").length)],
  ]);
  return {
    rows: {
      index,
      block: {
        rows: positions.length,
        columns,
        layers: layers.map((layer) => (layer.dtype === "bfloat16" ? layer.bits : layer.values)),
      },
    },
    format: {
      checkpoint: capture.completion.model,
      hiddenSize,
      layers: layers.map(({ layer }) => layer),
      dtype: layers[0]?.dtype ?? "bfloat16",
    },
  };
}
