import { checkCells, ColumnValueError } from "../shards/encode-column.ts";
import type { ColumnValue } from "../shards/column-field.ts";
import type { RowBlock } from "../shards/row-block.ts";
import { rowDtypes, type RowDtype, type RowNumbers } from "../shards/row-dtype.ts";
import { DatasetError } from "./dataset-error.ts";
import { sourceName } from "./example-order.ts";
import type { RowSource } from "./row-source.ts";

/* eslint-disable @typescript-eslint/unbound-method -- a method is looked at, not called */

/** The `blocks` of sources that this package makes, whose reads are checked already: a copy of one has the same, a changed one has not. */
const own = new WeakSet<RowSource["blocks"]>();

export function markOwn(source: RowSource): void {
  own.add(source.blocks);
}

const isOwn = (source: RowSource): boolean => own.has(source.blocks);

/* eslint-enable @typescript-eslint/unbound-method */

/**
 * A source whose every read has the rows, lengths and types that it says, or throws DatasetError `source_invalid`. One of this package's
 * own is given back as it is.
 */
export function checkedSource(source: RowSource): RowSource {
  if (isOwn(source)) return source;
  const { rows, hiddenSize, layers, dtype, fields } = source;
  const invalid = (found: string, expected: string) => sourceInvalid(source, found, expected);

  const checkNumbers = (numbers: unknown, count: number, type: RowDtype, what: string): void => {
    const fits = type === "float32" ? numbers instanceof Float32Array : numbers instanceof Uint16Array;
    const length = count * hiddenSize;
    if (fits && (numbers as RowNumbers).length === length) return;
    throw invalid(
      `${what} of ${shownArray(numbers)}`,
      `${length} numbers (${count} rows of ${hiddenSize}) in a ${type === "float32" ? "Float32Array" : "Uint16Array"}`,
    );
  };
  const checkColumn = (name: string, values: unknown, count: number): void => {
    const field = fields.find((one) => one.name === name);
    if (field === undefined) return;
    if (!Array.isArray(values) || values.length !== count)
      throw invalid(
        `column "${name}" of ${shownArray(values)}`,
        `a list of ${count} values, one for each row`,
      );
    try {
      checkCells(field, values as ColumnValue[]);
    } catch (error) {
      throw error instanceof ColumnValueError ? invalid(error.message, error.expected) : error;
    }
  };
  const checkBlock = ({ rows: count, columns, layers: parts }: RowBlock, all: Form): void => {
    if (!Number.isInteger(count) || count < 1) throw invalid(`a block of ${count} rows`, "one row or more");
    if (!(columns instanceof Map)) throw invalid("a block whose columns are no Map", "a Map by name");
    for (const name of all.columns) checkColumn(name, columns.get(name), count);
    if (!Array.isArray(parts) || parts.length !== all.layers.length)
      throw invalid(`a block with ${shownArray(parts)} for layers`, `a list of ${all.layers.length} layers`);
    for (const [i, layer] of all.layers.entries()) checkNumbers(parts[i], count, dtype, `layer ${layer}`);
  };
  /** Counts rows, which the source has said beforehand. */
  async function* counted<T extends { rows: number }>(
    blocks: AsyncIterable<T>,
    most: number,
    check: (block: T) => void,
  ): AsyncGenerator<T> {
    let seen = 0;
    for await (const block of blocks) {
      check(block);
      seen += block.rows;
      if (seen > most) break;
      yield block;
    }
    if (seen !== most)
      throw invalid(`${seen > most ? `${seen} rows or more` : `${seen} rows`}`, `${most} rows`);
  }

  checkShape(source, invalid);
  const whole: Form = { columns: fields.map(({ name }) => name), layers };
  const pick = source.pick?.bind(source);
  return {
    ...source,
    async column(name) {
      const values = await source.column(name);
      checkColumn(name, values, rows);
      return values;
    },
    async layer(layer) {
      const values = await source.layer(layer);
      checkNumbers(values, rows, "float32", `layer ${layer}`);
      return values;
    },
    async layerBits(layer) {
      const bits = await source.layerBits(layer);
      checkNumbers(bits, rows, "bfloat16", `layer ${layer}`);
      return bits;
    },
    layerBlocks: (layer, options) =>
      counted(source.layerBlocks(layer, options), rows, ({ rows: count, numbers }) =>
        checkNumbers(numbers, count, dtype, `layer ${layer}`),
      ),
    blocks: (options) => counted(source.blocks(options), rows, (block) => checkBlock(block, whole)),
    ...(pick && {
      pick: (request) =>
        counted(pick(request), request.rows?.length ?? rows, (block) => checkBlock(block, request)),
    }),
  };
}

type Form = Pick<Parameters<Required<RowSource>["pick"]>[0], "columns" | "layers">;

function checkShape(
  { rows, hiddenSize, layers, dtype, fields, columns }: RowSource,
  invalid: (found: string, expected: string) => DatasetError,
): void {
  if (!Number.isSafeInteger(rows) || rows < 0) throw invalid(`rows: ${rows}`, "a whole number from 0");
  if (!Number.isSafeInteger(hiddenSize) || hiddenSize < 1)
    throw invalid(`hiddenSize: ${hiddenSize}`, "a whole number from 1");
  if (!rowDtypes.includes(dtype)) throw invalid(`dtype: ${dtype}`, rowDtypes.join(", "));
  const ascend = layers.every((layer, i) => Number.isInteger(layer) && layer > (layers[i - 1] ?? -2));
  if (!ascend) throw invalid(`layers: ${layers.join(", ")}`, "whole numbers from -1, ascending");
  const names = fields.map(({ name }) => name);
  if (new Set(names).size !== names.length || String(names) !== String(columns))
    throw invalid(
      `fields ${names.join(", ")} and columns ${columns.join(", ")}`,
      "each column once, in the same order in both",
    );
}

export function sourceInvalid(source: object, found: string, expected: string): DatasetError {
  return new DatasetError("source_invalid", {
    path: sourceName(source),
    found,
    expected,
    advice: "The source gives other rows than it says: mend what makes it.",
  });
}

function shownArray(given: unknown): string {
  const length = (given as { length?: unknown } | null | undefined)?.length;
  if (typeof given !== "object" || typeof length !== "number") return given === null ? "null" : typeof given;
  return `${length} values (${Object.prototype.toString.call(given).slice("[object ".length, -1)})`;
}
