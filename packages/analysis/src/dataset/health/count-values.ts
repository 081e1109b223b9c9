import type { ColumnField, ColumnValue } from "../../shards/column-field.ts";
import type { LabelHealth } from "./description-schema.ts";
import { summarise } from "./quantiles.ts";

/** How many values a list names at most. */
const mostListed = 20;

type Scalar = string | number | boolean | null;

class ValueCounts {
  readonly #counts = new Map<Scalar, { rows: number; examples: number }>();

  add(value: Scalar, isNewExample: boolean): void {
    const found = this.#counts.get(value) ?? { rows: 0, examples: 0 };
    if (found.rows === 0) this.#counts.set(value, found);
    found.rows++;
    if (isNewExample) found.examples++;
  }

  get distinct(): number {
    return this.#counts.size - (this.#counts.has(null) ? 1 : 0);
  }

  rowsOf(value: Scalar): number {
    return this.#counts.get(value)?.rows ?? 0;
  }

  list(): LabelHealth["values"] {
    return [...this.#counts]
      .map(([value, counts]) => ({ value: jsonValue(value), ...counts }))
      .sort((a, b) => b.rows - a.rows || String(a.value).localeCompare(String(b.value)))
      .slice(0, mostListed);
  }

  numbers(): Float64Array {
    return Float64Array.from(
      [...this.#counts].flatMap(([value, { rows }]) =>
        typeof value === "number" && Number.isFinite(value) ? Array.from({ length: rows }, () => value) : [],
      ),
    );
  }
}

/** JSON has no NaN and no infinity. */
function jsonValue(value: Scalar): Scalar {
  return typeof value === "number" && !Number.isFinite(value) ? String(value) : value;
}

/** Counts the values of one label, in all and by split. */
export class LabelCounts {
  readonly #field: ColumnField;
  readonly #all = new ValueCounts();
  readonly #splits = new Map<string, ValueCounts>();

  constructor(field: ColumnField) {
    this.#field = field;
  }

  add(value: ColumnValue, { split, isNewExample }: { split: string; isNewExample: boolean }): void {
    const scalar = Array.isArray(value) ? JSON.stringify(value) : (value as Scalar);
    this.#all.add(scalar, isNewExample);
    const ofSplit = this.#splits.get(split) ?? new ValueCounts();
    this.#splits.set(split, ofSplit);
    ofSplit.add(scalar, isNewExample);
  }

  health(): LabelHealth {
    const { name, type } = this.#field;
    const isNumber = type === "float64" || type === "int32";
    return {
      name,
      type,
      distinct: this.#all.distinct,
      missing: this.#all.rowsOf(null),
      values: this.#all.list(),
      splits: Object.fromEntries([...this.#splits].map(([split, counts]) => [split, counts.list()])),
      numbers: isNumber ? summarise(this.#all.numbers()) : null,
    };
  }
}
