import { open, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { DatasetError, fileError } from "../dataset/dataset-error.ts";
import { shardEntrySchema, type DatasetManifest, type ShardEntry } from "../dataset/dataset-manifest.ts";
import { columnFieldSchema, type ColumnField } from "../shards/column-field.ts";
import { failureSchema, type CollectFailure } from "./collect-failure.ts";
import { planSchema, type Plan } from "./dataset-plan.ts";
import { writeAll, writeFileAtomic } from "../files/file-atomic.ts";
import { rowDtypes } from "../shards/row-dtype.ts";

export const journalName = "collect.jsonl";

const formatSchema = z.object({
  /** The name that the answers carry. */
  checkpoint: z.string(),
  /** `system_fingerprint` of the answers, where they have one. */
  systemFingerprint: z.string().optional(),
  hiddenSize: z.int().min(1),
  layers: z.array(z.int().min(-1)).min(1),
  dtype: z.enum(rowDtypes),
});
/** What the first capture told, and every later one must agree with. */
export type CaptureFormat = z.infer<typeof formatSchema>;

/** What a dataset's manifest says of them. */
export function formatOf(manifest: DatasetManifest): CaptureFormat {
  const { checkpoint, systemFingerprint, hiddenSize, layers, dtype } = manifest;
  const server = systemFingerprint !== undefined && { systemFingerprint };
  return { checkpoint: checkpoint ?? "", ...server, hiddenSize, layers, dtype };
}

const lineSchema = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("plan"),
    plan: planSchema,
    shardRows: z.int().min(1),
    columns: z.array(columnFieldSchema),
  }),
  z.object({ kind: z.literal("format"), format: formatSchema }),
  z.object({ kind: z.literal("shard"), shard: shardEntrySchema }),
  z.object({ kind: z.literal("failure"), failure: failureSchema }),
  /** Rows that were parked: those of no other file of that name. */
  z.object({ kind: z.literal("in-hand"), sha256: z.string() }),
]);
type Line = z.infer<typeof lineSchema>;

/** What a collection that has not ended has done so far. */
export interface Journal {
  plan: Plan;
  shardRows: number;
  /** That are not layers. */
  columns: readonly ColumnField[];
  format: CaptureFormat | undefined;
  shards: ShardEntry[];
  /** In the order of the examples. */
  failures: CollectFailure[];
  /** SHA-256 of the file of parked rows that come after the shards; undefined of none. */
  inHand?: string | undefined;
}

/** Reads the journal of a folder; undefined when there is none. A torn last line, left by a crash, is passed over. */
export async function readJournal(folder: string): Promise<Journal | undefined> {
  const path = join(folder, journalName);
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw fileError(error, path, "read");
  });
  if (text === undefined) return undefined;
  const [head, ...lines] = wholeLines(text);
  if (head?.kind !== "plan") {
    throw new DatasetError("manifest_invalid", {
      path,
      found: "no plan in its first line",
      expected: "the journal of an unfinished collection",
      advice: "Collect into another folder, or remove this one.",
    });
  }
  const { plan, shardRows, columns } = head;
  const journal: Journal = { plan, shardRows, columns, format: undefined, shards: [], failures: [] };
  for (const line of lines) {
    if (line.kind === "format") journal.format = line.format;
    if (line.kind === "shard") journal.shards.push(line.shard);
    if (line.kind === "failure") journal.failures.push(line.failure);
    // A shard that was finished later has them.
    if (line.kind === "shard") journal.inHand = undefined;
    if (line.kind === "in-hand") journal.inHand = line.sha256;
  }
  return journal;
}

function wholeLines(text: string): Line[] {
  const lines: Line[] = [];
  for (const line of text.split("\n").slice(0, -1)) {
    const parsed = lineSchema.safeParse(parseOrNull(line));
    if (!parsed.success) break;
    lines.push(parsed.data);
  }
  return lines;
}

function parseOrNull(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

/** Writes the journal anew, as a whole. */
export async function writeJournal(
  folder: string,
  { plan, shardRows, columns, format, shards, failures, inHand }: Journal,
): Promise<void> {
  const lines: Line[] = [
    { kind: "plan", plan, shardRows, columns: [...columns] },
    ...(format ? [{ kind: "format" as const, format }] : []),
    ...shards.map((shard) => ({ kind: "shard" as const, shard })),
    ...failures.map((failure) => ({ kind: "failure" as const, failure })),
    ...(inHand === undefined ? [] : [{ kind: "in-hand" as const, sha256: inHand }]),
  ];
  await writeFileAtomic(join(folder, journalName), lines.map(encodeLine));
}

/** Adds a line and waits until it is on the disk. */
export async function appendJournal(folder: string, line: Exclude<Line, { kind: "plan" }>): Promise<void> {
  const path = join(folder, journalName);
  try {
    const file = await open(path, "a");
    try {
      await writeAll(file, encodeLine(line));
      await file.sync();
    } finally {
      await file.close();
    }
  } catch (error) {
    throw fileError(error, path, "write");
  }
}

export async function removeJournal(folder: string): Promise<void> {
  await rm(join(folder, journalName), { force: true });
}

function encodeLine(line: Line): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify(line)}\n`);
}
