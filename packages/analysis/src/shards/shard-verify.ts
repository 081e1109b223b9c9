import { LayoutError } from "../files/file-read.ts";

/** What a slot of a flatbuffers table holds, as far as its length could lie. Slots of plain numbers are left out. */
type Slot =
  | "text"
  | { structs: number }
  | { table: () => Table }
  | { tables: () => Table }
  /** A table of one of these kinds: the slot before says which. */
  | { union: Readonly<Record<number, () => Table>> };
type Table = Readonly<Record<number, Slot>>;

// Slots by their order in Arrow's Schema.fbs, Message.fbs and File.fbs.
const keyValue: Table = { 0: "text", 1: "text" };
const field: Table = { 0: "text", 5: { tables: () => field }, 6: { tables: () => keyValue } };
const schema: Table = { 1: { tables: () => field }, 2: { tables: () => keyValue }, 3: { structs: 8 } };
const footer: Table = {
  1: { table: () => schema },
  2: { structs: 24 },
  3: { structs: 24 },
  4: { tables: () => keyValue },
};
const recordBatch: Table = { 1: { structs: 16 }, 2: { structs: 16 }, 4: { structs: 8 } };
const dictionaryBatch: Table = { 1: { table: () => recordBatch } };
const batchMessage: Table = { 2: { table: () => recordBatch }, 4: { tables: () => keyValue } };
const message: Table = {
  2: { union: { 1: () => schema, 2: () => dictionaryBatch, 3: () => recordBatch } },
  4: { tables: () => keyValue },
};
const kinds = { footer, message, "batch header": batchMessage } as const;

/** A layer is a list of numbers: two levels of fields, below a schema and a footer. */
const deepest = 6;

/**
 * Checks that every table, text and vector of a file's footer or of a batch's header lies inside it. The flatbuffers
 * library reads zeros behind the end of its buffer, so a damaged length would make it build objects until memory is full.
 */
export function verifyMetadata(bytes: Uint8Array, kind: keyof typeof kinds): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let left = Math.ceil(bytes.byteLength / 4);

  const need = (from: number, length: number): void => {
    if (from < 0 || from + length > bytes.byteLength) throw new LayoutError(`a damaged ${kind}`);
  };
  const target = (at: number): number => {
    need(at, 4);
    const to = at + view.getUint32(at, true);
    need(to, 4);
    return to;
  };
  const vector = (at: number, size: number): { first: number; count: number } => {
    const start = target(at);
    const count = view.getUint32(start, true);
    need(start + 4, count * size);
    return { first: start + 4, count };
  };

  function verifyTable(at: number, slots: Table, depth: number): void {
    // Tables may be shared, so a small file could name the same one again and again.
    if (depth > deepest || left-- <= 0) throw new LayoutError(`a damaged ${kind}`);
    need(at, 4);
    const vtable = at - view.getInt32(at, true);
    need(vtable, 4);
    const size = view.getUint16(vtable, true);
    need(vtable, size);
    for (const [index, slot] of Object.entries(slots)) {
      const entry = 4 + 2 * Number(index);
      const offset = entry + 2 <= size ? view.getUint16(vtable + entry, true) : 0;
      if (offset === 0) continue;
      if (typeof slot === "object" && "union" in slot) {
        const before = entry <= size ? view.getUint16(vtable + entry - 2, true) : 0;
        need(at + before, 1);
        const table = slot.union[view.getUint8(at + before)];
        if (before === 0 || table === undefined) throw new LayoutError(`a damaged ${kind}`);
        verifyTable(target(at + offset), table(), depth + 1);
      } else verifySlot(at + offset, slot, depth);
    }
  }

  function verifySlot(at: number, slot: Exclude<Slot, { union: unknown }>, depth: number): void {
    if (slot === "text") vector(at, 1);
    else if ("structs" in slot) vector(at, slot.structs);
    else if ("table" in slot) verifyTable(target(at), slot.table(), depth + 1);
    else {
      const { first, count } = vector(at, 4);
      for (let i = 0; i < count; i++) verifyTable(target(first + 4 * i), slot.tables(), depth + 1);
    }
  }

  verifyTable(target(0), kinds[kind], 0);
}
