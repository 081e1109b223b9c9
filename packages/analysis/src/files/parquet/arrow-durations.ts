import { Duration, TimeUnit } from "apache-arrow";
import { verifyMetadata } from "../../shards/shard-verify.ts";
import { LayoutError } from "../file-read.ts";

/** By their places in Arrow's Schema.fbs. */
const slots = {
  schema: { fields: 1 },
  field: { name: 0, kind: 2, type: 3, children: 5 },
  header: 2,
  unit: 0,
};
const durationKind = 18;
const units = [TimeUnit.SECOND, TimeUnit.MILLISECOND, TimeUnit.MICROSECOND, TimeUnit.NANOSECOND];

/**
 * The columns that are or contain durations, of the Arrow schema that a writer left in the metadata of a Parquet file. Parquet has no
 * such type and stores whole numbers, whose unit stands there alone. Read by hand, since apache-arrow does not know every type
 * that other columns may have. Throws LayoutError.
 */
export function durationColumns(schema: string): Map<string, Duration> {
  const whole = Uint8Array.from(Buffer.from(schema, "base64"));
  if (whole.length < 16) throw new LayoutError("a damaged ARROW:schema in its metadata");
  // Before Arrow 0.15 there was no mark before the length.
  const bytes = whole.slice(new DataView(whole.buffer).getInt32(0, true) === -1 ? 8 : 4);
  verifyMetadata(bytes, "message");
  const view = new DataView(bytes.buffer);
  const target = (at: number): number => at + view.getUint32(at, true);
  /** Where a table has a value; undefined where it leaves it out. */
  const valueAt = (table: number, slot: number): number | undefined => {
    const vtable = table - view.getInt32(table, true);
    const entry = 4 + 2 * slot;
    const offset = entry < view.getUint16(vtable, true) ? view.getUint16(vtable + entry, true) : 0;
    return offset === 0 ? undefined : table + offset;
  };
  const tables = (at: number | undefined): number[] => {
    if (at === undefined) return [];
    const vector = target(at);
    return Array.from({ length: view.getUint32(vector, true) }, (_, i) => target(vector + 4 + 4 * i));
  };
  const durationIn = (field: number): Duration | undefined => {
    const [kind, type] = [valueAt(field, slots.field.kind), valueAt(field, slots.field.type)];
    if (kind !== undefined && type !== undefined && view.getUint8(kind) === durationKind) {
      const unit = valueAt(target(type), slots.unit);
      return new Duration(units[unit === undefined ? 1 : view.getInt16(unit, true)] ?? TimeUnit.MILLISECOND);
    }
    for (const child of tables(valueAt(field, slots.field.children))) {
      const found = durationIn(child);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  const header = valueAt(target(0), slots.header);
  const fields = header === undefined ? [] : tables(valueAt(target(header), slots.schema.fields));
  return new Map(
    fields.flatMap((field) => {
      const [name, duration] = [valueAt(field, slots.field.name), durationIn(field)];
      if (name === undefined || duration === undefined) return [];
      const text = target(name);
      const utf8 = bytes.subarray(text + 4, text + 4 + view.getUint32(text, true));
      return [[new TextDecoder("utf-8", { ignoreBOM: true }).decode(utf8), duration] as const];
    }),
  );
}
