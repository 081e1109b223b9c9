import { LayoutError } from "../file-read.ts";
import {
  int64,
  readThrift,
  structs,
  writeThrift,
  type ThriftList,
  type ThriftStruct,
  type ThriftValue,
} from "./thrift.ts";

/** The data of one column in one row group. Nested columns have several, under one name. */
export interface ColumnChunk {
  /** The top-level column. */
  column: string;
  begin: number;
  length: number;
  /** Of its values, once unpacked. */
  unpacked: number;
  struct: ThriftStruct;
}

export interface RowGroup {
  rows: number;
  chunks: readonly ColumnChunk[];
  struct: ThriftStruct;
}

export interface ParquetFooter {
  rows: number;
  /** The top-level columns, each with its elements of the schema: itself, then those inside it. */
  schema: ReadonlyMap<string, readonly ThriftStruct[]>;
  groups: readonly RowGroup[];
  /** Key-value metadata of the file. */
  metadata: ReadonlyMap<string, string>;
  createdBy: string | undefined;
  struct: ThriftStruct;
}

// Fields by their number in parquet.thrift (https://github.com/apache/parquet-format).
const file = { schema: 2, rows: 3, groups: 4, metadata: 5, creator: 6, orders: 7, encryption: 8 } as const;
const element = { name: 4, children: 5 } as const;
const group = { chunks: 1, unpacked: 2, rows: 3, offset: 5, packed: 6, ordinal: 7 } as const;
const chunk = { path: 1, offset: 2, meta: 3, indexes: [4, 5, 6, 7], crypto: [8, 9] } as const;
const meta = { path: 3, unpacked: 6, packed: 7, data: 9, dictionary: 11, left: [10, 12, 14, 15] } as const;

/** Reads the footer of a file whose data lies before byte `dataEnd`. Throws LayoutError. */
export function parseFooter(bytes: Uint8Array, dataEnd: number): ParquetFooter {
  const struct = readThrift(bytes);
  if (struct.has(file.encryption)) throw new LayoutError("an encrypted Parquet file");
  const schema = list(struct, file.schema, "its schema").map(asStruct);
  // Of no rows there are no data, and some writers name a place at byte 0 for them.
  const groups = (struct.has(file.groups) ? list(struct, file.groups, "its row groups") : [])
    .map(asStruct)
    .filter((value) => count(value, group.rows, "the rows of a row group") > 0)
    .map((value) => readGroup(value, dataEnd));
  const rows = count(struct, file.rows, "its rows");
  const sum = groups.reduce((total, { rows }) => total + rows, 0);
  if (sum !== rows) throw new LayoutError(`a footer of ${rows} rows, and ${sum} in its row groups`);
  const createdBy = struct.has(file.creator) ? text(struct.get(file.creator)?.value) : undefined;
  return { rows, schema: topLevel(schema), groups, metadata: keyValues(struct), createdBy, struct };
}

function readGroup(struct: ThriftStruct, dataEnd: number): RowGroup {
  const chunks = list(struct, group.chunks, "the columns of a row group").map((value) => {
    const place = asStruct(value);
    if (place.has(chunk.path) || chunk.crypto.some((id) => place.has(id))) {
      throw new LayoutError("a column whose data lies in another file, or is encrypted");
    }
    const found = asStruct(place.get(chunk.meta)?.value);
    const data = count(found, meta.data, "the place of a column");
    const dictionary = found.has(meta.dictionary)
      ? count(found, meta.dictionary, "the place of a column")
      : 0;
    const begin = dictionary > 0 ? Math.min(dictionary, data) : data;
    const length = count(found, meta.packed, "the size of a column");
    const column = text(list(found, meta.path, "the name of a column")[0]);
    if (begin < 4 || begin + length > dataEnd) {
      throw new LayoutError(`column ${JSON.stringify(column)} with data outside the file`);
    }
    return {
      column,
      begin,
      length,
      unpacked: count(found, meta.unpacked, "the size of a column"),
      struct: place,
    };
  });
  return { rows: count(struct, group.rows, "the rows of a row group"), chunks, struct };
}

/** The schema is a tree laid flat: each element is followed by those inside it. */
function topLevel(schema: readonly ThriftStruct[]): Map<string, ThriftStruct[]> {
  const childrenOf = (at: number): number => {
    const found = schema[at];
    if (found === undefined) throw new LayoutError("a schema that ends in the middle");
    return found.has(element.children) ? count(found, element.children, "a schema") : 0;
  };
  const columns = new Map<string, ThriftStruct[]>();
  let at = 1;
  for (let left = childrenOf(0); left > 0; left--) {
    const begin = at;
    for (let inside = 1; inside > 0; inside--) inside += childrenOf(at++);
    const name = text(schema[begin]?.get(element.name)?.value);
    if (columns.has(name)) throw new LayoutError(`two columns called ${JSON.stringify(name)}`);
    columns.set(name, schema.slice(begin, at));
  }
  return columns;
}

function keyValues(struct: ThriftStruct): Map<string, string> {
  const pairs = struct.has(file.metadata) ? list(struct, file.metadata, "its metadata").map(asStruct) : [];
  return new Map(
    pairs.map((pair) => [text(pair.get(1)?.value), pair.has(2) ? text(pair.get(2)?.value) : ""]),
  );
}

/** The footer with more key-value metadata. */
export function withMetadata(footer: ParquetFooter, more: ReadonlyMap<string, string>): ParquetFooter {
  const known = footer.struct.has(file.metadata) ? list(footer.struct, file.metadata, "its metadata") : [];
  const utf8 = (text: string): { type: number; value: Uint8Array } => ({
    type: 8,
    value: new TextEncoder().encode(text),
  });
  const added = [...more].map(
    ([key, value]): ThriftStruct =>
      new Map([
        [1, utf8(key)],
        [2, utf8(value)],
      ]),
  );
  const struct: ThriftStruct = new Map(footer.struct);
  struct.set(file.metadata, structs([...known.map(asStruct), ...added]));
  return { ...footer, struct, metadata: new Map([...footer.metadata, ...more]) };
}

/** The row group with its chunks moved to where `place` says (undefined: left out), and without what lies elsewhere in the file. */
export function movedGroup(
  { chunks, struct }: RowGroup,
  place: (chunk: ColumnChunk) => number | undefined,
): ThriftStruct {
  const moved = chunks.flatMap((each) => {
    const to = place(each);
    if (to === undefined) return [];
    const fields: ThriftStruct = new Map(each.struct);
    for (const id of chunk.indexes) fields.delete(id);
    const inner: ThriftStruct = new Map(asStruct(fields.get(chunk.meta)?.value));
    for (const id of meta.left) inner.delete(id);
    for (const id of [meta.data, meta.dictionary]) {
      const field = inner.get(id);
      if (field !== undefined) inner.set(id, int64((field.value as bigint) + BigInt(to - each.begin)));
    }
    fields.set(chunk.offset, int64(0));
    return [fields.set(chunk.meta, { type: 12, value: inner })];
  });
  const fields: ThriftStruct = new Map(struct);
  fields.delete(group.offset);
  fields.delete(group.ordinal);
  return fields.set(group.chunks, structs(moved));
}

/**
 * One row group of the columns of several files that have one row group each; the data of each follow in the new file at `base`, from their
 * own beginning. The columns stand in the order of `names`.
 */
export function joinedGroup(
  names: readonly string[],
  parts: readonly { base: number; footer: ParquetFooter }[],
): ThriftStruct {
  const moved = parts.map(({ base, footer }) => {
    const [only] = footer.groups as [RowGroup];
    const chunks = list(
      movedGroup(only, ({ begin }) => begin + base),
      group.chunks,
      "columns",
    ).map(asStruct);
    return {
      only,
      chunks: chunks.map((struct, i) => ({ struct, column: only.chunks[i]?.column as string })),
    };
  });
  const chunks = moved.flatMap(({ chunks }) => chunks);
  chunks.sort((a, b) => names.indexOf(a.column) - names.indexOf(b.column));
  const sumOf = (id: number): bigint =>
    moved.reduce(
      (sum, { only }) => sum + BigInt(only.struct.has(id) ? count(only.struct, id, "its size") : 0),
      0n,
    );
  return new Map([
    [group.chunks, structs(chunks.map(({ struct }) => struct))],
    [group.unpacked, int64(sumOf(group.unpacked))],
    [group.rows, int64(moved[0]?.only.rows ?? 0)],
    [group.packed, int64(sumOf(group.packed))],
  ]);
}

/**
 * What follows the data of a file of these row groups: footer, its length, the magic bytes. With `columns` the schema has only
 * these, and Parquet's own types: without the Arrow schema no dictionaries, no large or fixed-size lists are left.
 */
export function encodeFooter(
  { struct, schema }: Pick<ParquetFooter, "struct" | "schema">,
  groups: readonly ThriftStruct[],
  columns?: readonly string[],
): Uint8Array {
  const fields: ThriftStruct = new Map(struct);
  const rows = groups.reduce((sum, each) => sum + BigInt(count(each, group.rows, "rows")), 0n);
  fields.set(file.rows, int64(rows)).set(file.groups, structs(groups));
  if (columns !== undefined) {
    const root: ThriftStruct = new Map(asStruct(list(fields, file.schema, "its schema")[0]));
    root.set(element.children, { type: 5, value: columns.length });
    const kept = [...schema].filter(([name]) => columns.includes(name));
    fields.set(file.schema, structs([root, ...kept.flatMap(([, elements]) => elements)]));
    fields.delete(file.metadata);
    fields.delete(file.orders);
  }
  const body = writeThrift(fields);
  const whole = new Uint8Array(body.length + 8);
  whole.set(body);
  new DataView(whole.buffer).setUint32(body.length, body.length, true);
  whole.set(magic, body.length + 4);
  return whole;
}

export const magic = new TextEncoder().encode("PAR1");

function list(struct: ThriftStruct, id: number, what: string): ThriftValue[] {
  const value = struct.get(id)?.value as ThriftList | undefined;
  if (!Array.isArray(value?.values)) throw new LayoutError(`a footer without ${what}`);
  return value.values;
}

function asStruct(value: ThriftValue | undefined): ThriftStruct {
  if (!(value instanceof Map)) throw new LayoutError("a footer of another form");
  return value;
}

function count(struct: ThriftStruct, id: number, what: string): number {
  const value = struct.get(id)?.value;
  const size = typeof value === "bigint" || typeof value === "number" ? Number(value) : -1;
  if (!Number.isSafeInteger(size) || size < 0) throw new LayoutError(`a footer without ${what}`);
  return size;
}

function text(value: ThriftValue | undefined): string {
  if (!(value instanceof Uint8Array)) throw new LayoutError("a footer without a name");
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(value);
}
