import { open } from "node:fs/promises";
import { basename } from "node:path";
import { ModelFolderError } from "./engine-error.ts";
import { parseGgufHeader, refuseGguf, type GgufHeader } from "./gguf-header.ts";
import { readExactly } from "./read-exactly.ts";

/** The first read holds the header of most files without a large vocabulary; then it doubles up to the limit. */
const firstBytes = 1 << 20;
const maxHeaderBytes = 1 << 28;

/** An open GGUF file: reads one tensor at a time. */
export interface GgufFile extends GgufHeader {
  readonly file: string;
  /** The bytes of a tensor of `tensors` as stored. */
  read(name: string): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** Opens a GGUF file and checks its header. Throws ModelFolderError. */
export async function openGguf(path: string): Promise<GgufFile> {
  const file = basename(path);
  const handle = await open(path, "r").catch((cause: unknown) => {
    throw new ModelFolderError("folder_unreadable", `cannot read ${path}`, { file }, { cause });
  });
  const ended = (at: number) => refuseGguf(file, `ended at byte ${at} while it was read`);
  try {
    const { size } = await handle.stat();
    let header: GgufHeader | null = null;
    for (let length = Math.min(size, firstBytes); header === null; length = Math.min(size, 2 * length)) {
      if (length > maxHeaderBytes) refuseGguf(file, `has a header of more than ${maxHeaderBytes} bytes`);
      header = parseGgufHeader(await readExactly(handle, 0, length, ended), size, file);
    }
    const { metadata, tensors } = header;
    return {
      file,
      metadata,
      tensors,
      read: async (name) => {
        const { begin, bytes } =
          tensors.get(name) ?? refuseGguf(file, `has no tensor ${JSON.stringify(name)}`);
        return readExactly(handle, begin, bytes, ended);
      },
      close: () => handle.close(),
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
}
