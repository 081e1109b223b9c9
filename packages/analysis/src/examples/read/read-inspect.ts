import { FormatError, openZip } from "@residua/lens";
import { readFile } from "node:fs/promises";
import { parseExact } from "./exact-json.ts";
import { inspectSample, type InspectTake } from "./inspect-sample.ts";
import { decodeText } from "./read-lines.ts";
import { makeRowFaults } from "./row-faults.ts";
import { type Cell, columnsOf, isList, isObject, type SourceRow, type SourceTable } from "./source-table.ts";

/** The samples of an Inspect log: `.eval` (a zip of JSON, deflated or zstd) or JSON. Throws FormatError, InvalidRequestError. */
export async function readInspect(file: string, take: InspectTake): Promise<SourceTable> {
  const bytes = await readFile(file);
  const isZip = bytes[0] === 0x50 && bytes[1] === 0x4b;
  const samples = isZip ? await zippedSamples(bytes, file) : jsonSamples(bytes, file);
  const faults = makeRowFaults();
  const rows: SourceRow[] = [];
  samples.forEach((sample, i) => {
    const row = inspectSample(sample, take);
    if (typeof row !== "string") return rows.push(row);
    const id = isObject(sample) ? sample["id"] : undefined;
    return faults.add({
      field: `sample ${i + 1}${typeof id === "string" ? ` (${JSON.stringify(id)})` : ""}`,
      given: "another",
      allowed: row,
    });
  });
  faults.refuse();
  return scoredTable(rows);
}

async function zippedSamples(bytes: Uint8Array, file: string): Promise<Cell[]> {
  const zip = openZip(bytes, file);
  const chunked = zip.names.find((name) => /^samples\/.+\/sample\.json$/.test(name));
  if (chunked !== undefined) {
    throw new FormatError(
      "format_unsupported",
      `${file} has samples in chunks (${chunked}); write it again with inspect_ai.log.write_eval_log(read_eval_log(…), "log.json")`,
      { file },
    );
  }
  const names = zip.names.filter((name) => /^samples\/[^/]+\.json$/.test(name));
  const samples: Cell[] = [];
  for (const name of names) samples.push(parseLog(await zip.load(name), `${file}: ${name}`));
  return samples;
}

function jsonSamples(bytes: Uint8Array, file: string): readonly Cell[] {
  const log = parseLog(bytes, file);
  if (isObject(log) && isObject(log["eval"] ?? null) && isList(log["samples"])) return log["samples"];
  throw new FormatError(
    "format_invalid",
    `${file} is no Inspect log with samples: it needs "eval" and "samples" (a log of headers alone has none)`,
    { file },
  );
}

function parseLog(bytes: Uint8Array, what: string): Cell {
  try {
    return parseExact(decodeText(bytes, what), { constants: true });
  } catch (cause) {
    if (cause instanceof FormatError) throw cause;
    const problem = (cause as Error).message.slice(0, 200);
    throw new FormatError("format_invalid", `${what} is not JSON: ${problem}`, {}, { cause });
  }
}

/** Scores are labels. Those that are C (correct) or I (incorrect) in every sample that has them become true and false. */
function scoredTable(rows: readonly SourceRow[]): SourceTable {
  const columns = columnsOf(rows);
  const scores = columns.filter((name) => name.startsWith("scores."));
  const verdicts = scores.filter((name) =>
    rows.every(({ cells }) => ["C", "I", null].includes((cells[name] ?? null) as string | null)),
  );
  const graded = rows.map(({ where, cells }) => {
    const values = verdicts.map((name): [string, Cell] => {
      const value = cells[name] ?? null;
      return [name, value === null ? null : value === "C"];
    });
    return { where, cells: { ...cells, ...Object.fromEntries(values) } };
  });
  // A score that no sample has is no label.
  const scored = scores.filter((name) => rows.some(({ cells }) => (cells[name] ?? null) !== null));
  const labels = Object.fromEntries(scored.map((name) => [name.slice("scores.".length), name]));
  return { columns, rows: graded, labels };
}
