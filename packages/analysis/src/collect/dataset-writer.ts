import type { ServerFingerprint } from "@residua/lens";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { DatasetError } from "../dataset/dataset-error.ts";
import {
  contentHash,
  datasetSchemaVersion,
  layerConvention,
  writeManifest,
  type DatasetManifest,
} from "../dataset/dataset-manifest.ts";
import type { RowBlock } from "../shards/row-block.ts";
import { dtypeBytes } from "../shards/row-dtype.ts";
import type { ShardIdentity } from "../shards/shard-schema.ts";
import { batchBytes, writeShard } from "../shards/shard-write.ts";
import type { CollectFailure } from "./collect-failure.ts";
import { appendJournal, removeJournal, type CaptureFormat, type Journal } from "./dataset-journal.ts";
import { failuresName, writeFailures } from "./failures-file.ts";
import { runShardName } from "./run-names.ts";
import type { CapturedRows, ExampleRows } from "./select-capture.ts";
import { selectionData } from "./select-rows.ts";

/** Rows of a shard that is not full yet, kept over a clean stop. Never part of a dataset. */
export const inHandName = "in-hand.arrow";

export interface DatasetWriterOptions {
  folder: string;
  /** As it stands; goes on growing here and on the disk. */
  journal: Journal;
  /** Rows of the shard that was in hand when the run before stopped. */
  inHand: readonly ExampleRows[];
  /** Index of the first example that is not through. */
  next: number;
  /** Above 0 the shards get other names than those that a manifest lists already. Default: 0. */
  run?: number;
}

/** Takes one example after the other, its rows or its failure, and turns them into shards, and at the end into a dataset. */
export class DatasetWriter {
  readonly #options: DatasetWriterOptions;
  #parts: ExampleRows[];
  #next: number;

  constructor(options: DatasetWriterOptions) {
    this.#options = options;
    this.#parts = [...options.inHand];
    this.#next = options.next;
  }

  /** Index of the next example to add. */
  get nextExample(): number {
    return this.#next;
  }

  get rows(): number {
    const { shards } = this.#options.journal;
    return shards.reduce((sum, { rows }) => sum + rows, 0) + this.#rowsInHand;
  }

  get shards(): number {
    return this.#options.journal.shards.length;
  }

  get failures(): readonly CollectFailure[] {
    return this.#options.journal.failures;
  }

  /** Bytes of the finished shards. */
  get bytes(): number {
    return this.#options.journal.shards.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Where a shard ends follows from the rows alone, so that a resumed run makes the same files. */
  async add({ rows, format }: CapturedRows): Promise<void> {
    await this.#agree(format, rows);
    this.#parts.push({ ...rows, block: this.#withEveryColumn(rows.block) });
    this.#next = rows.index + 1;
    const bytes = this.#rowsInHand * dtypeBytes(format.dtype) * format.hiddenSize * format.layers.length;
    if (this.#rowsInHand >= this.#options.journal.shardRows || bytes >= batchBytes) await this.#closeShard();
  }

  /** The next example gives no rows. */
  async fail(failure: CollectFailure): Promise<void> {
    const { folder, journal } = this.#options;
    await appendJournal(folder, { kind: "failure", failure });
    journal.failures.push(failure);
    this.#next = failure.index + 1;
  }

  /** Keeps the rows in hand for the next run. */
  async park(): Promise<void> {
    if (this.#parts.length === 0) return;
    const { folder, journal } = this.#options;
    const { sha256 } = await this.#write(inHandName);
    await appendJournal(folder, { kind: "in-hand", sha256 });
    journal.inHand = sha256;
  }

  /** Writes the last shard, the failures and the manifest, in which `about` stands. */
  async finish(about: {
    server: ServerFingerprint | undefined;
    chatTemplate: DatasetManifest["chatTemplate"];
  }): Promise<DatasetManifest> {
    const { folder, journal, run = 0 } = this.#options;
    if (this.#parts.length > 0) await this.#closeShard();
    const { plan, shards, failures, columns } = journal;
    if (shards.length === 0) throw this.#nothing();
    const origin = { kind: "collected", plan } as const;
    const failed = failures.length > 0 ? await writeFailures(folder, failuresName(run), failures) : undefined;
    const manifest: DatasetManifest = {
      format: "residua-activation-dataset",
      schemaVersion: datasetSchemaVersion,
      model: plan.model,
      layerConvention,
      ...this.#format,
      selection: { ...selectionData(plan.selection) },
      columns: [...columns],
      rows: this.rows,
      examples: shards.reduce((sum, { examples }) => sum + examples, 0),
      shards,
      origin,
      contentHash: contentHash(origin, shards),
      ...(failed && { failures: failed }),
      ...(about.chatTemplate && { chatTemplate: about.chatTemplate }),
      ...(about.server && { server: { ...about.server } }),
      createdWith: "@residua/analysis",
    };
    await writeManifest(folder, manifest);
    await rm(join(folder, inHandName), { force: true });
    await removeJournal(folder);
    return manifest;
  }

  get #firstExample(): number {
    return this.#options.journal.shards.reduce((sum, { examples }) => sum + examples, 0);
  }

  get #rowsInHand(): number {
    return this.#parts.reduce((sum, { block }) => sum + block.rows, 0);
  }

  get #format(): CaptureFormat {
    const { format } = this.#options.journal;
    if (format === undefined) throw this.#nothing();
    return format;
  }

  #nothing(): DatasetError {
    const { folder, journal } = this.#options;
    const [first] = journal.failures;
    const why =
      first && `: the first, example ${JSON.stringify(first.example)}, by ${first.name}: ${first.message}`;
    return new DatasetError("no_rows", {
      path: folder,
      found: `every example failed${why ?? ""}`,
      expected: "at least one example with rows",
      advice: "Mend the cause and run the same collection again: it tries them all again.",
    });
  }

  /** An example need not name every extra column. */
  #withEveryColumn(block: RowBlock): RowBlock {
    const missing = this.#options.journal.columns.filter(({ name }) => !block.columns.has(name));
    if (missing.length === 0) return block;
    const none = missing.map(({ name }): [string, null[]] => [name, Array<null>(block.rows).fill(null)]);
    return { ...block, columns: new Map([...block.columns, ...none]) };
  }

  async #agree(format: CaptureFormat, { block, index }: ExampleRows): Promise<void> {
    const { folder, journal } = this.#options;
    if (journal.format === undefined) {
      await appendJournal(folder, { kind: "format", format });
      journal.format = format;
    }
    const { checkpoint, systemFingerprint, hiddenSize, layers, dtype } = journal.format;
    const isOtherServer =
      systemFingerprint !== undefined &&
      format.systemFingerprint !== undefined &&
      systemFingerprint !== format.systemFingerprint;
    const agrees =
      !isOtherServer &&
      checkpoint === format.checkpoint &&
      hiddenSize === format.hiddenSize &&
      dtype === format.dtype &&
      String(layers) === String(format.layers);
    if (agrees) return;
    const name = JSON.stringify(block.columns.get("example")?.[0] ?? index);
    throw new DatasetError("capture_differs", {
      path: folder,
      found: `example ${name} came from ${describeFormat(format)}`,
      expected: `what the rows before it came from: ${describeFormat(journal.format)}`,
      advice: "The server changed its model or its settings in the middle: collect into another folder.",
    });
  }

  async #closeShard(): Promise<void> {
    const { folder, journal, run = 0 } = this.#options;
    const file = runShardName(journal.shards.length, run);
    const rows = this.#rowsInHand;
    const written = await this.#write(file);
    const shard = { file, rows, examples: this.#parts.length, ...written };
    await appendJournal(folder, { kind: "shard", shard });
    journal.shards.push(shard);
    this.#parts = [];
  }

  async #write(file: string) {
    const { folder, journal } = this.#options;
    const format = this.#format;
    const identity: ShardIdentity = {
      plan: journal.plan.hash,
      checkpoint: format.checkpoint,
      shard: journal.shards.length,
      firstExample: this.#firstExample,
      examples: this.#parts.length,
    };
    return writeShard(join(folder, file), {
      columns: { fields: journal.columns, ...format },
      identity,
      blocks: this.#parts.map(({ block }) => block),
    });
  }
}

function describeFormat({ checkpoint, systemFingerprint, hiddenSize, layers, dtype }: CaptureFormat): string {
  const server = systemFingerprint === undefined ? "" : ` at server ${JSON.stringify(systemFingerprint)}`;
  return `checkpoint ${JSON.stringify(checkpoint)}${server}, width ${hiddenSize}, ${dtype}, layers ${layers.join(", ")}`;
}
