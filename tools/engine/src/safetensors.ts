import { open } from "node:fs/promises";
import { z } from "zod";
import { ModelFolderError } from "./engine-error.ts";
import { readExactly } from "./read-exactly.ts";

/** Header bytes a file may announce: the limit of the reference reader. */
const maxHeaderBytes = 100_000_000;

/** Bits of every element type that the format knows. */
const dtypeBits: Readonly<Record<string, number>> = {
  BOOL: 8,
  U8: 8,
  I8: 8,
  F8_E4M3: 8,
  F8_E5M2: 8,
  F8_E8M0: 8,
  I16: 16,
  U16: 16,
  F16: 16,
  BF16: 16,
  I32: 32,
  U32: 32,
  F32: 32,
  I64: 64,
  U64: 64,
  F64: 64,
};

const sizeSchema = z.number().int().nonnegative().max(Number.MAX_SAFE_INTEGER);
const entrySchema = z.object({
  dtype: z.string(),
  shape: z.array(sizeSchema).max(16),
  data_offsets: z.tuple([sizeSchema, sizeSchema]),
});

/** Where one tensor lies: `begin` and `end` are byte offsets from the start of the data part. */
export interface TensorEntry {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly begin: number;
  readonly end: number;
}

function refuse(file: string, problem: string, data: Record<string, unknown> = {}, cause?: unknown): never {
  throw new ModelFolderError(
    "weights_invalid",
    `${file}: ${problem}; fetch or copy the file again`,
    { file, ...data },
    cause === undefined ? undefined : { cause },
  );
}

/**
 * Reads the JSON header of a safetensors file and checks it against the bytes that follow it: every
 * type known, every size equal to its shape's, every range inside the data, none overlapping, no gap.
 * Source: the format description in the safetensors README.
 */
export function parseSafetensorsHeader(
  header: Uint8Array,
  dataBytes: number,
  file = "safetensors file",
): Map<string, TensorEntry> {
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(header));
  } catch (cause) {
    refuse(file, "its header is not JSON", {}, cause);
  }
  if (typeof json !== "object" || json === null || Array.isArray(json))
    refuse(file, "its header is not an object");
  const entries = new Map<string, TensorEntry>();
  for (const [name, value] of Object.entries(json)) {
    if (name === "__metadata__") continue;
    const parsed = entrySchema.safeParse(value);
    if (!parsed.success)
      refuse(file, `the header entry of tensor ${JSON.stringify(name)} is malformed`, { name });
    const {
      dtype,
      shape,
      data_offsets: [begin, end],
    } = parsed.data;
    const bits = Object.hasOwn(dtypeBits, dtype) ? dtypeBits[dtype] : undefined;
    if (bits === undefined)
      refuse(file, `tensor ${JSON.stringify(name)} has the unknown type ${dtype}`, { name, dtype });
    const bytes = (shape.reduce((product, size) => product * size, 1) * bits) / 8;
    if (end - begin !== bytes) {
      refuse(
        file,
        `tensor ${JSON.stringify(name)} of shape [${shape.join(", ")}] in ${dtype} takes ${bytes} bytes, but the header gives it ${end - begin}`,
        { name },
      );
    }
    if (end > dataBytes) {
      refuse(
        file,
        `tensor ${JSON.stringify(name)} ends at byte ${end}, but the file has ${dataBytes} bytes of data (truncated?)`,
        { name },
      );
    }
    entries.set(name, { dtype, shape, begin, end });
  }
  let at = 0;
  for (const [name, { begin, end }] of [...entries].sort(
    ([, a], [, b]) => a.begin - b.begin || a.end - b.end,
  )) {
    if (begin !== at) {
      refuse(
        file,
        `tensor ${JSON.stringify(name)} starts at byte ${begin} where ${at} is due: tensors overlap or leave a gap`,
        { name },
      );
    }
    at = end;
  }
  if (at !== dataBytes)
    refuse(file, `its tensors end at byte ${at}, but the file has ${dataBytes} bytes of data`);
  return entries;
}

/** An open safetensors file: reads one tensor at a time, so that no more than one lies in memory. */
export interface SafetensorsFile {
  readonly entries: ReadonlyMap<string, TensorEntry>;
  /** The raw little-endian bytes of a tensor of `entries`. */
  read(name: string): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** Opens a safetensors file and checks its header. Throws ModelFolderError, code `weights_invalid`. */
export async function openSafetensors(path: string, file = "model.safetensors"): Promise<SafetensorsFile> {
  const handle = await open(path, "r").catch((cause: unknown) => refuse(file, "cannot be read", {}, cause));
  const ended = (at: number) => refuse(file, `ended at byte ${at} while it was read`);
  try {
    const { size } = await handle.stat();
    if (size < 8) refuse(file, `has ${size} bytes, no header`);
    const headerBytes = Number(
      new DataView((await readExactly(handle, 0, 8, ended)).buffer).getBigUint64(0, true),
    );
    if (headerBytes > maxHeaderBytes || headerBytes + 8 > size) {
      refuse(file, `announces a header of ${headerBytes} bytes, but has ${size} bytes in all (truncated?)`);
    }
    const dataStart = 8 + headerBytes;
    const entries = parseSafetensorsHeader(
      await readExactly(handle, 8, headerBytes, ended),
      size - dataStart,
      file,
    );
    return {
      entries,
      read: async (name) => {
        const entry = entries.get(name);
        if (entry === undefined) return refuse(file, `has no tensor ${JSON.stringify(name)}`, { name });
        return readExactly(handle, dataStart + entry.begin, entry.end - entry.begin, ended);
      },
      close: () => handle.close(),
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
}
