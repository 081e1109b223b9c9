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
  return boolScores({ columns: columnsOf(rows), rows });
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

/** Scores that are C (correct) or I (incorrect) in every sample become true and false. */
function boolScores({ columns, rows }: SourceTable): SourceTable {
  const labels = rows.map(({ cells }) => cells["labels"] as Readonly<Record<string, Cell>>);
  const names = [...new Set(labels.flatMap(Object.keys))];
  const verdicts = names.filter((name) =>
    labels.every((label) => ["C", "I", null, undefined].includes(label[name] as string | null | undefined)),
  );
  const valueOf = (label: Readonly<Record<string, Cell>>, name: string): Cell => {
    const value = label[name] ?? null;
    return value !== null && verdicts.includes(name) ? value === "C" : value;
  };
  return {
    columns,
    rows: rows.map(({ where, cells }, i) => ({
      where,
      cells: {
        ...cells,
        // Every sample names every score: one that failed has none.
        labels: Object.fromEntries(names.map((name) => [name, valueOf(labels[i] ?? {}, name)])),
      },
    })),
  };
}
