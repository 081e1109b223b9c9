import { createHash } from "node:crypto";
import { openRegular } from "./file-read.ts";

/** SHA-256 of a file in hex, read in blocks of 4 MiB. */
export async function hashFile(path: string): Promise<string> {
  const hash = createHash("sha256");
  const block = new Uint8Array(4 << 20);
  const { file } = await openRegular(path);
  try {
    for (;;) {
      const { bytesRead } = await file.read(block, 0, block.byteLength, null);
      if (bytesRead === 0) return hash.digest("hex");
      hash.update(block.subarray(0, bytesRead));
    }
  } finally {
    await file.close();
  }
}
