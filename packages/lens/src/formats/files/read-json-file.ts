import { readFile } from "node:fs/promises";
import { checkFormatArguments } from "../../arguments/check-arguments.ts";
import { text as textKind } from "../../arguments/kinds.ts";
import { FormatError } from "../format-error.ts";

/** Reads a JSON file. Errors `format_missing`, `format_invalid`. */
export async function readJsonFile(path: string): Promise<unknown> {
  checkFormatArguments("a file", { path: [path, textKind] });
  const text = await readFile(path, "utf8").catch((cause: NodeJS.ErrnoException) => {
    throw new FormatError(
      "format_missing",
      `${path} cannot be read (${cause.code ?? cause.message})`,
      {},
      { cause },
    );
  });
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new FormatError("format_invalid", `${path} is not JSON`, {}, { cause });
  }
}
