import { writeFileAtomic } from "../files/file-atomic.ts";
import type { PngOptions } from "./figure-png.ts";
import type { Figure } from "./svg-figure.ts";

/**
 * Writes a figure as a PNG file; an older file of that name is replaced. Throws InvalidRequestError for options or a path that are none,
 * DatasetError (`disk_full`, `not_writable`, `write_failed`).
 */
export async function savePng(figure: Figure, path: string, options: PngOptions = {}): Promise<void> {
  await writeFileAtomic(path, [await figure.png(options)]);
}
