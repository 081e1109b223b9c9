import { Footer } from "apache-arrow/ipc/metadata/file";
import { open, readFile, truncate } from "node:fs/promises";

/** Rewrites an Arrow file with a hole before its batches (sparse on disk): as a large file would have them, or out of step with every number. */
export async function moveBatches(path: string, distance: number): Promise<{ bytes: number }> {
  const bytes = await readFile(path);
  const footerLength = bytes.readInt32LE(bytes.length - 10);
  const footer = Footer.decode(bytes.subarray(bytes.length - 10 - footerLength, bytes.length - 10));
  const blocks = [...footer.recordBatches()].map((block) => {
    block.offset += distance;
    return block;
  });
  const moved = Footer.encode(new Footer(footer.schema, footer.version, blocks, []));
  const tail = Buffer.alloc(10);
  tail.writeInt32LE(moved.length, 0);
  tail.write("ARROW1", 4, "latin1");
  await truncate(path, 8);
  const file = await open(path, "r+");
  try {
    const end = distance + bytes.length - 10 - footerLength;
    await file.write(bytes, 8, bytes.length - 18 - footerLength, distance + 8);
    await file.write(Buffer.concat([moved, tail]), 0, moved.length + 10, end);
    return { bytes: end + moved.length + 10 };
  } finally {
    await file.close();
  }
}
