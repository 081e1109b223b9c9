import { FormatError } from "@residua/lens";
import { createReadStream } from "node:fs";

/** A string of V8 has at most about 2^29 characters. */
const longestLine = 2 ** 28;
const newline = 0x0a;

/**
 * The lines of a UTF-8 file, numbered from 1, without their ends (LF or CRLF) and without a byte order mark; the file may be of any
 * length. Throws FormatError.
 */
export async function* readLines(file: string): AsyncGenerator<{ number: number; text: string }> {
  let parts: Uint8Array[] = [];
  let held = 0;
  let number = 0;
  const take = (last: Uint8Array): { number: number; text: string } => {
    const bytes = parts.length === 0 ? last : Buffer.concat([...parts, last]);
    parts = [];
    held = 0;
    number++;
    const text = decodeText(bytes, `${file} line ${number}`);
    return { number, text: (number === 1 ? withoutMark(text) : text).replace(/\r$/, "") };
  };
  for await (const chunk of createReadStream(file) as AsyncIterable<Uint8Array>) {
    let from = 0;
    for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, from)) {
      yield take(chunk.subarray(from, at));
      from = at + 1;
    }
    parts.push(chunk.subarray(from));
    held += chunk.length - from;
    if (held > longestLine) {
      throw new FormatError(
        "format_too_large",
        `${file} line ${number + 1} is over ${longestLine} bytes; is it one example a line?`,
        { file },
      );
    }
  }
  if (held > 0) yield take(new Uint8Array());
}

/** UTF-8, or an error that says what it is instead. */
export function decodeText(bytes: Uint8Array, what: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    const utf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
    const found = utf16 ? "is UTF-16" : "has bytes that are not UTF-8";
    throw new FormatError("format_invalid", `${what} ${found}; save the file as UTF-8`, {}, { cause });
  }
}

export function withoutMark(text: string): string {
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}
