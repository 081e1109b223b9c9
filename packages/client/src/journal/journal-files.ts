/** A line's place in a file, in bytes, without the line's end. */
export interface LinePlace {
  offset: number;
  length: number;
}

/** A file of lines that is only added to, and that one process at a time has open. */
export interface JournalFile {
  /** Resolves when the text is on disk. Texts that wait for the disk together are written together. */
  append(text: string): Promise<void>;
  read(place: LinePlace): Promise<string>;
  /** After what was appended. */
  close(): Promise<void>;
}

/** What a journal takes from where it runs. */
export interface JournalFiles {
  /**
   * Opens a file for one writer, made when it is not there. `onLine` is called with each whole line, in order; a last line
   * without an end, which a killed process left, is cut off when `mayCut` allows it. Throws JournalError.
   */
  open(
    path: string,
    reading: { onLine: (line: string, place: LinePlace) => void; mayCut: (torn: string) => boolean },
  ): Promise<JournalFile>;
  /** SHA-256 of the text's UTF-8, in hexadecimal. */
  hash(text: string): string;
  base64(bytes: Uint8Array): string;
}
