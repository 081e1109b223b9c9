/** Where a command's words go: the result to stdout (one JSON document with `--json`), everything else to stderr. */
export interface Output {
  readonly json: boolean;
  /** Progress: a line to stderr; `--quiet` leaves it out. */
  progress(text: string): void;
  /** Progress that replaces itself on a terminal, and otherwise is told at each tenth. */
  count(label: string, done: number, total: number): void;
  /** The result: `text` for a person, `data` with `--json`. */
  result(data: unknown, text: string): void;
}

/** An output for one command run. */
export function createOutput({ json = false, quiet = false }: { json?: boolean; quiet?: boolean }): Output {
  const terminal = process.stderr.isTTY === true;
  const lastTenth = new Map<string, number>();
  return {
    json,
    progress(text) {
      if (!quiet) process.stderr.write(`${text}\n`);
    },
    count(label, done, total) {
      if (quiet || total === 0) return;
      const tenth = Math.floor((10 * done) / total);
      if (terminal) process.stderr.write(`\r\u001b[2K${label} ${done}/${total}${done === total ? "\n" : ""}`);
      else if (lastTenth.get(label) !== tenth) process.stderr.write(`${label} ${done}/${total}\n`);
      lastTenth.set(label, tenth);
    },
    result(data, text) {
      process.stdout.write(json ? `${JSON.stringify(data)}\n` : `${text}\n`);
    },
  };
}

/** Lines of columns, each padded to its widest cell; the first column to the left, the others to the right. */
export function alignColumns(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) row.forEach((cell, i) => (widths[i] = Math.max(widths[i] ?? 0, cell.length)));
  return rows
    .map((row) =>
      row
        .map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)))
        .join("  "),
    )
    .map((line) => line.trimEnd())
    .join("\n");
}
