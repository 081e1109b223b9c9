import { createHash } from "node:crypto";
import { open, readFile, truncate, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { fileError } from "../../dataset/dataset-error.ts";
import { writeAll } from "../../files/file-atomic.ts";
import { warnOnce } from "../../options/warn.ts";
import { gradeSchema, sampleSchema, type Grade, type Sample } from "./rollout.ts";

/** Stays beside the dataset: the texts, ids and grades that its rows are of. */
export const rolloutsName = "rollouts.jsonl";

const lineSchema = z.discriminatedUnion("kind", [
  sampleSchema,
  z.object({ kind: z.literal("grade"), key: z.string(), version: z.string(), grade: gradeSchema }),
]);

/** What was sampled and graded: each is on the disk before anything is made of it. */
export class RolloutJournal {
  readonly samples = new Map<string, Sample>();
  readonly grades = new Map<string, Grade>();
  readonly #path: string;
  #file: FileHandle | undefined;
  /** One line after the other. */
  #writing: Promise<void> = Promise.resolve();

  private constructor(path: string) {
    this.#path = path;
  }

  /** Reads the journal of a folder, and of others, and goes on writing the first. */
  static async open(folder: string, others: readonly string[]): Promise<RolloutJournal> {
    const journal = new RolloutJournal(join(folder, rolloutsName));
    for (const other of others) await journal.#read(join(other, rolloutsName));
    const { bytes, whole } = await journal.#read(journal.#path);
    try {
      // A torn last line, left by a crash, would spoil the next one.
      if (whole < bytes) await truncate(journal.#path, whole);
      journal.#file = await open(journal.#path, "a");
    } catch (error) {
      throw fileError(error, journal.#path, "write");
    }
    return journal;
  }

  async addSample(sample: Sample): Promise<void> {
    await this.#write(sample);
    this.samples.set(sample.key, sample);
  }

  async addGrade(key: string, version: string, grade: Grade): Promise<void> {
    await this.#write({ kind: "grade", key, version, grade });
    this.grades.set(key, grade);
  }

  /** Waits until all is on the disk. */
  async sync(): Promise<void> {
    await this.#writing;
    await this.#file?.sync().catch((error: unknown) => {
      throw fileError(error, this.#path, "write");
    });
  }

  async close(): Promise<void> {
    await this.#writing.catch(() => undefined);
    await this.#file?.close();
    this.#file = undefined;
  }

  #write(line: z.input<typeof lineSchema>): Promise<void> {
    const bytes = new TextEncoder().encode(`${withSum(JSON.stringify(line))}\n`);
    this.#writing = this.#writing
      .then(() => writeAll(this.#file as FileHandle, bytes))
      .catch((error: unknown) => {
        throw fileError(error, this.#path, "write");
      });
    return this.#writing;
  }

  async #read(path: string): Promise<{ bytes: number; whole: number }> {
    const content = await readFile(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return Buffer.alloc(0);
      throw fileError(error, path, "read");
    });
    let from = 0;
    let damaged = 0;
    for (let end = content.indexOf(10); end >= 0; end = content.indexOf(10, from)) {
      if (!this.#take(content.toString("utf8", from, end))) damaged++;
      from = end + 1;
    }
    if (damaged > 0)
      warnOnce(
        "damaged_rows",
        `${path}: lines that are not as they were written: ${damaged}. What they held is sampled or graded again.`,
      );
    return { bytes: content.length, whole: from };
  }

  /** A line that is not as it was written is passed over. */
  #take(text: string): boolean {
    const parsed = lineSchema.safeParse(parseOrNull(withoutSum(text) ?? ""));
    if (!parsed.success) return false;
    if (parsed.data.kind === "sample") this.samples.set(parsed.data.key, parsed.data);
    else this.grades.set(parsed.data.key, parsed.data.grade);
    return true;
  }
}

/** The JSON of an object with one field more, last: 64 bits of SHA-256 of what it is without that. */
function withSum(json: string): string {
  return `${json.slice(0, -1)},"sum":"${sumOf(json)}"}`;
}

/** Undefined of a line in which a bit is another: ids that were not sampled would be captured. */
function withoutSum(line: string): string | undefined {
  const [, fields, sum] = /^(.*),"sum":"([0-9a-f]{16})"\}$/s.exec(line) ?? [];
  const json = `${fields}}`;
  return sum === sumOf(json) ? json : undefined;
}

function sumOf(json: string): string {
  return createHash("sha256").update(json).digest("hex").slice(0, 16);
}

function parseOrNull(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
