import { checkOptionArguments } from "../arguments/check-arguments.ts";
import { aFunction, fields, isRecord, listOf, whole } from "../arguments/kinds.ts";
import type { Capture, CapturedToken } from "../lens-types.ts";
import type { SpanMatch } from "./find-spans.ts";
import { poolRows } from "./pool-rows.ts";
import { selectPositions } from "./select-positions.ts";
import { isPooled, readSelection, type Selection } from "./selection.ts";

/** Rows of one layer, `[rows, hiddenSize]` in C order, in memory of their own. */
export type SelectedLayer =
  | { readonly layer: number; readonly dtype: "bfloat16"; readonly bits: Uint16Array }
  | { readonly layer: number; readonly dtype: "float32"; readonly values: Float32Array };

/** What a selection takes of a capture: small, and it does not keep the capture. */
export interface SelectedRows {
  readonly selection: Selection;
  readonly hiddenSize: number;
  /** One for each position; 1 of a pooled selection. */
  readonly rowCount: number;
  /** Ascending: of each row, or of the rows that were pooled. */
  readonly positions: readonly number[];
  /** Ids and texts of the tokens at these positions. */
  readonly tokens: readonly CapturedToken[];
  /** Of a span: the characters that were asked for. */
  readonly matches: readonly SpanMatch[];
  /**
   * Ascending. Rows as captured are bfloat16 bits where the server sent those, else float32; pooled ones are float32,
   * summed in float64.
   */
  readonly layers: readonly SelectedLayer[];
}

/**
 * The rows of a capture that are kept, for one selection or for several by name. Throws SelectionError where they cannot be
 * told exactly.
 */
export function select(capture: Capture, selection: Selection): SelectedRows;
export function select<Name extends string>(
  capture: Capture,
  selections: Readonly<Record<Name, Selection>>,
): Record<Name, SelectedRows>;
export function select(
  capture: Capture,
  selection: Selection | Readonly<Record<string, Selection>>,
): SelectedRows | Record<string, SelectedRows> {
  checkOptionArguments("select", { capture: [capture, captureKind] });
  if (isSelection(selection)) return selectOne(capture, selection);
  // A text or null is refused as the selection that it is meant to be.
  if (!isRecord(selection)) readSelection(selection);
  return Object.fromEntries(Object.entries(selection).map(([name, one]) => [name, selectOne(capture, one)]));
}

/** One selection, rather than several by name. */
export function isSelection(value: Selection | Readonly<Record<string, Selection>>): value is Selection {
  return isRecord(value) && typeof value.kind === "string";
}

const captureKind = fields(
  {
    layers: listOf(whole(-1)),
    tokens: listOf(fields({}, { loose: true })),
    positions: whole(0),
    row: aFunction,
  },
  { loose: true },
);

function selectOne(capture: Capture, selection: Selection): SelectedRows {
  readSelection(selection);
  const { hiddenSize, tokens } = capture;
  const { positions, matches } = selectPositions(capture, selection);
  const layers = [...capture.layers].sort((a, b) => a - b);
  const pooled = isPooled(selection) ? selection.kind : undefined;
  return Object.freeze({
    selection,
    hiddenSize,
    rowCount: pooled ? 1 : positions.length,
    positions: Object.freeze(positions),
    tokens: Object.freeze(positions.map((position) => tokens[position] ?? unknownToken)),
    matches: Object.freeze(matches),
    layers: Object.freeze(
      layers.map((layer) =>
        pooled
          ? { layer, dtype: "float32" as const, values: poolRows(capture, { layer, positions, by: pooled }) }
          : rowsOf(capture, layer, positions),
      ),
    ),
  });
}

const unknownToken: CapturedToken = { id: null, text: null, role: "prompt" };

function rowsOf(capture: Capture, layer: number, positions: readonly number[]): SelectedLayer {
  const { hiddenSize, dtype } = capture;
  const numbers = positions.length * hiddenSize;
  if (dtype === "bfloat16") {
    const bits = new Uint16Array(numbers);
    positions.forEach((position, i) => bits.set(capture.rowBits({ layer, position }), i * hiddenSize));
    return { layer, dtype, bits };
  }
  const values = new Float32Array(numbers);
  positions.forEach((position, i) => values.set(capture.row({ layer, position }), i * hiddenSize));
  return { layer, dtype: "float32", values };
}
