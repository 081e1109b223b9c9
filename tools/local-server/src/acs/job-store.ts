import { once } from "node:events";
import { createReadStream } from "node:fs";
import { mkdtemp, open, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import type { ReadableStream as NodeReadableStream } from "node:stream/web";
import { z } from "zod";
import { makeFolder } from "../make-folder.ts";
import { ServerError } from "../server-error.ts";
import { textBody } from "../text-body.ts";
import { jobRecordSchema, type JobRecord } from "./job-record.ts";

/** A job with the request that it still has to run; null when it has ended. */
interface StoredJob {
  readonly record: JobRecord;
  readonly request: unknown;
}

const storedSchema = z.strictObject({ ...jobRecordSchema.shape, request: z.unknown() });

/**
 * Jobs in a folder: `<job_id>.json`, and `<job_id>.result.json` beside it. A file is written under another
 * name and renamed, so it is whole or not there. Without a folder they lie in a temporary one, until `close`.
 */
export class JobStore {
  readonly #given: string | undefined;
  #folder: Promise<string> | null = null;

  constructor(folder: string | undefined) {
    this.#given = folder;
  }

  /** All jobs in order of arrival. Throws ServerError `jobs_folder_invalid`. */
  async load(): Promise<StoredJob[]> {
    if (this.#given === undefined) return [];
    const fail = (problem: string, cause: unknown) =>
      new ServerError("jobs_folder_invalid", `jobs: ${problem}`, {}, { cause });
    let folder: string;
    let names: string[];
    try {
      folder = await this.#path();
      names = await readdir(folder);
    } catch (cause) {
      throw fail("the folder cannot be read", cause);
    }
    const jobs: StoredJob[] = [];
    for (const name of names) {
      // Left by a process that was killed while it wrote, or while it removed a job.
      const unfinished = /^job_[0-9a-f]{16}\.(result\.)?json\.tmp$/.test(name);
      const orphan =
        /^job_[0-9a-f]{16}\.result\.json$/.test(name) && !names.includes(name.replace(".result", ""));
      if (unfinished || orphan) await rm(join(folder, name));
      if (!/^job_[0-9a-f]{16}\.json$/.test(name)) continue;
      try {
        const { request, ...record } = storedSchema.parse(
          JSON.parse(await readFile(join(folder, name), "utf8")),
        );
        jobs.push({ record, request });
      } catch (cause) {
        throw fail(`${name} is no job; repair it or take it away`, cause);
      }
    }
    return jobs.sort((a, b) => a.record.number - b.record.number);
  }

  async write(record: JobRecord, request: unknown): Promise<void> {
    await this.#write(`${record.job_id}.json`, [JSON.stringify({ ...record, request })]);
  }

  async writeResult({ job_id: id }: JobRecord, pieces: Iterable<string>): Promise<void> {
    await this.#write(`${id}.result.json`, pieces);
  }

  async readResult({ job_id: id }: JobRecord): Promise<ReadableStream<Uint8Array>> {
    const file = createReadStream(join(await this.#path(), `${id}.result.json`));
    await once(file, "open");
    return Readable.toWeb(file) as ReadableStream<Uint8Array>;
  }

  /** The job first: a result without one is removed by `load`. */
  async remove({ job_id: id }: JobRecord): Promise<void> {
    for (const name of [`${id}.json`, `${id}.result.json`])
      await rm(join(await this.#path(), name), { force: true });
  }

  /** Removes a temporary folder. */
  async close(): Promise<void> {
    if (this.#given === undefined && this.#folder !== null) await rm(await this.#folder, { recursive: true });
  }

  #path(): Promise<string> {
    const given = this.#given;
    return (this.#folder ??=
      given === undefined ? mkdtemp(join(tmpdir(), "residua-jobs-")) : makeFolder(given).then(() => given));
  }

  async #write(name: string, pieces: Iterable<string>): Promise<void> {
    const path = join(await this.#path(), name);
    // Prompts are nobody else's.
    const handle = await open(`${path}.tmp`, "w", 0o600);
    try {
      const body = textBody(pieces[Symbol.iterator]());
      await writeFile(
        handle,
        typeof body === "string" ? body : Readable.fromWeb(body as NodeReadableStream<Uint8Array>),
      );
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(`${path}.tmp`, path);
  }
}
