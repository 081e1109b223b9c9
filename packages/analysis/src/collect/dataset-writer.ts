import type { ServerFingerprint } from "@residua/lens";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { DatasetError } from "../dataset/dataset-error.ts";
import { appendJournal, removeJournal, type CaptureFormat, type Journal } from "./dataset-journal.ts";
import {
  contentHash,
  datasetSchemaVersion,
  layerConvention,
  writeManifest,
  type DatasetManifest,
} from "../dataset/dataset-manifest.ts";
import { exampleFields } from "../examples/example-fields.ts";
import type { CheckedExamples } from "../examples/example.ts";
import { dtypeBytes } from "../shards/row-dtype.ts";
import type { ExampleRows } from "./select-capture.ts";
import { shardName, type ShardIdentity } from "../shards/shard-schema.ts";
import { batchBytes, writeShard } from "../shards/shard-write.ts";
import { rowSelection } from "./select-rows.ts";

/** Rows of a shard that is not full yet, kept over a clean stop. Never part of a dataset. */
export const inHandName = "in-hand.arrow";

export interface DatasetWriterOptions {
  folder: string;
  checked: CheckedExamples;
  /** As it stands; goes on growing here and on the disk. */
  journal: Journal;
  /** Rows of the shard that was in hand when the run before stopped. */
  inHand: readonly ExampleRows[];
}

/** Takes the rows of one example after the other and turns them into shards, and at the end into a dataset. */
export class DatasetWriter {
  readonly #options: DatasetWriterOptions;
  #parts: ExampleRows[];

  constructor(options: DatasetWriterOptions) {
    this.#options = options;
    this.#parts = [...options.inHand];
  }

  /** Index of the next example to add. */
  get nextExample(): number {
    return this.#firstExample + this.#parts.length;
  }

  get rows(): number {
    const { shards } = this.#options.journal;
    return shards.reduce((sum, { rows }) => sum + rows, 0) + this.#rowsInHand;
  }

  get shards(): number {
    return this.#options.journal.shards.length;
  }

  /** Where a shard ends follows from the rows alone, so that a resumed run makes the same files. */
  async add(rows: ExampleRows, format: CaptureFormat): Promise<void> {
    await this.#agree(format, rows.index);
    this.#parts.push(rows);
    const bytes = this.#rowsInHand * dtypeBytes(format.dtype) * format.hiddenSize * format.layers.length;
    if (this.#rowsInHand >= this.#options.journal.shardRows || bytes >= batchBytes) await this.#closeShard();
  }

  /** Keeps the rows in hand for the next run. */
  async park(): Promise<void> {
    if (this.#parts.length > 0) await this.#write(inHandName);
  }

  /** Writes the last shard and the manifest, in which `server` stands. */
  async finish(server?: ServerFingerprint): Promise<void> {
    const { folder, checked, journal } = this.#options;
    if (this.#parts.length > 0) await this.#closeShard();
    const { plan, shards } = journal;
    const origin = { kind: "collected", plan } as const;
    await writeManifest(folder, {
      format: "residua-activation-dataset",
      schemaVersion: datasetSchemaVersion,
      model: plan.model,
      layerConvention,
      ...this.#format,
      selection: { ...rowSelection(plan.selection) },
      columns: exampleFields(checked),
      rows: this.rows,
      examples: checked.examples.length,
      shards,
      origin,
      contentHash: contentHash(origin, shards),
      ...(server && { server: { ...server } }),
      createdWith: "@residua/analysis",
    } satisfies DatasetManifest);
    await rm(join(folder, inHandName), { force: true });
    await removeJournal(folder);
  }

  get #firstExample(): number {
    return this.#options.journal.shards.reduce((sum, { examples }) => sum + examples, 0);
  }

  get #rowsInHand(): number {
    return this.#parts.reduce((sum, { block }) => sum + block.rows, 0);
  }

  get #format(): CaptureFormat {
    const { format } = this.#options.journal;
    if (format === undefined) throw new Error("no capture was added");
    return format;
  }

  async #agree(format: CaptureFormat, index: number): Promise<void> {
    const { folder, journal, checked } = this.#options;
    if (journal.format === undefined) {
      await appendJournal(folder, { format });
      journal.format = format;
    }
    const { checkpoint, hiddenSize, layers, dtype } = journal.format;
    const agrees =
      checkpoint === format.checkpoint &&
      hiddenSize === format.hiddenSize &&
      dtype === format.dtype &&
      String(layers) === String(format.layers);
    if (agrees) return;
    throw new DatasetError("capture_differs", {
      path: folder,
      found: `example ${JSON.stringify(checked.examples[index]?.id)} came from ${describeFormat(format)}`,
      expected: `what the rows before it came from: ${describeFormat(journal.format)}`,
      advice: "The server changed its model in the middle: collect into another folder.",
    });
  }

  async #closeShard(): Promise<void> {
    const { folder, journal } = this.#options;
    const file = shardName(journal.shards.length);
    const rows = this.#rowsInHand;
    const written = await this.#write(file);
    const shard = { file, rows, examples: this.#parts.length, ...written };
    await appendJournal(folder, { shard });
    journal.shards.push(shard);
    this.#parts = [];
  }

  async #write(file: string) {
    const { folder, checked, journal } = this.#options;
    const format = this.#format;
    const identity: ShardIdentity = {
      plan: journal.plan.hash,
      checkpoint: format.checkpoint,
      shard: journal.shards.length,
      firstExample: this.#firstExample,
      examples: this.#parts.length,
    };
    return writeShard(join(folder, file), {
      columns: { fields: exampleFields(checked), ...format },
      identity,
      blocks: this.#parts.map(({ block }) => block),
    });
  }
}

function describeFormat({ checkpoint, hiddenSize, layers, dtype }: CaptureFormat): string {
  return `checkpoint ${JSON.stringify(checkpoint)}, width ${hiddenSize}, ${dtype}, layers ${layers.join(", ")}`;
}
