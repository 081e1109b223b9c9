import { type Capture, ResiduaError, select, type SelectedRows } from "@residua/lens";
import type { ColumnValue } from "../shards/column-field.ts";
import type { RowBlock } from "../shards/row-block.ts";
import { isPooled, roleAt, type CollectItem } from "./collect-item.ts";
import type { CaptureFormat } from "./dataset-journal.ts";
import { wellFormed } from "../shards/well-formed.ts";

/** The selected rows of one example, in memory: what a capture leaves behind. */
export interface ExampleRows {
  /** Index in the list of examples. */
  index: number;
  block: RowBlock;
}

export interface CapturedRows {
  rows: ExampleRows;
  format: CaptureFormat;
}

/** The selected rows of a capture, copied, so that the capture itself can go; and what it says of the model. */
export function selectFromCapture(capture: Capture, item: CollectItem): CapturedRows {
  verifyEcho(capture, item);
  const selected = select(asSampled(capture, item), item.select);
  const { hiddenSize, layers, rowCount } = selected;
  const { fingerprint } = capture.server;
  const promptLength =
    item.example.promptLength ?? capture.tokens.filter(({ role }) => role === "prompt").length;
  const columns = new Map<string, readonly ColumnValue[]>([
    ...tokenColumns(selected, item),
    ...itemColumns(item, rowCount),
    ["token_ids", inFirst(rowCount, tokenIds(capture, item))],
    ["prompt_length", inFirst(rowCount, promptLength)],
  ]);
  return {
    rows: {
      index: item.index,
      block: {
        rows: rowCount,
        columns,
        layers: layers.map((layer) => (layer.dtype === "bfloat16" ? layer.bits : layer.values)),
      },
    },
    format: {
      checkpoint: capture.completion.model,
      ...(fingerprint !== undefined && { systemFingerprint: fingerprint }),
      hiddenSize,
      layers: layers.map(({ layer }) => layer),
      dtype: layers[0]?.dtype ?? "bfloat16",
    },
  };
}

/** Ids that were sent are those that were captured, whatever lens this is: never a text of them that was tokenised anew. */
function verifyEcho({ tokens }: Capture, { prompt }: CollectItem): void {
  if (typeof prompt === "string") return;
  const ran = tokens.filter(({ role }) => role === "prompt");
  const other = ran.findIndex(({ id }, i) => id !== null && id !== prompt[i]);
  if (ran.length === prompt.length && other < 0) return;
  const what =
    other < 0
      ? `${prompt.length} token ids were sent and ${ran.length} captured`
      : `position ${other}: token ${prompt[other]} was sent and ${ran[other]?.id} captured`;
  throw new ResiduaError("token_ids", what);
}

/** Ids that were sent are known, whatever the server tells. The token that a rollout's capture sampled anew is not of the rollout. */
function tokenIds({ tokens }: Capture, { example, prompt }: CollectItem): number[] | null {
  if (typeof prompt !== "string" && example.promptLength !== undefined) return [...prompt];
  const ids = tokens.map(({ id }, i) => id ?? (typeof prompt === "string" ? null : (prompt[i] ?? null)));
  return ids.includes(null) ? null : (ids as number[]);
}

/** One row for each position; the only row of pooled ones is of no token. */
function tokenColumns(
  { positions, tokens, rowCount }: SelectedRows,
  item: CollectItem,
): [string, ColumnValue[]][] {
  if (isPooled(item.select)) {
    return ["position", "token_id", "token", "role"].map((name) => [name, Array<null>(rowCount).fill(null)]);
  }
  return [
    ["position", [...positions]],
    ["token_id", tokens.map(({ id }) => id)],
    ["token", tokens.map(({ text }) => text && wellFormed(text))],
    ["role", tokens.map(({ role }, i) => roleAt(item, positions[i] ?? 0, role))],
  ];
}

/** The columns that are the example's own, whatever was captured. */
export function itemColumns(
  { example, text, contentHash }: CollectItem,
  rows: number,
): [string, ColumnValue[]][] {
  const each = (value: ColumnValue): ColumnValue[] => Array<ColumnValue>(rows).fill(value);
  return [
    ["example", each(example.id)],
    ["group", each(example.group)],
    ["split", each(example.split)],
    ...Object.entries({ ...example.labels, ...example.extra }).map(
      ([name, value]): [string, ColumnValue[]] => [name, each(value)],
    ),
    ["text", inFirst(rows, text && wellFormed(text))],
    ["content_hash", inFirst(rows, contentHash)],
  ];
}

function inFirst(rows: number, value: ColumnValue): ColumnValue[] {
  return Array.from({ length: rows }, (_, i) => (i === 0 ? value : null));
}

/**
 * A rollout's tokens were sampled before and are sent as one prompt now: selections by role and by the generated text mean the
 * tokens as they were sampled. The row of its last generated token is there, which no capture of the sampling itself has.
 */
function asSampled(capture: Capture, { example: { promptLength, generatedText } }: CollectItem): Capture {
  if (promptLength === undefined) return capture;
  const { completion, tokens, prompt } = capture;
  const [choice] = completion.choices;
  return {
    ...capture,
    tokens: tokens
      .slice(0, capture.positions)
      .map((token, i) => (i < promptLength ? token : { ...token, role: "generated" as const })),
    prompt: typeof prompt === "string" ? prompt : prompt.slice(0, promptLength),
    completion: {
      ...completion,
      choices: choice ? [{ ...choice, text: generatedText ?? "" }] : [],
    },
  };
}
