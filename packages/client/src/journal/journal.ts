import type { SampleOutcome } from "../many/sample-many-types.ts";
import { type CompletionRequest, shapeOf } from "../requests/completion-request.ts";
import { InvalidRequestError } from "../requests/invalid-request-error.ts";
import { ResiduaError } from "../residua-error.ts";
import { asCompletion, type Completion } from "../responses/completion.ts";
import { APIError } from "../transport/api-error.ts";
import { canonicalJSON } from "./canonical-json.ts";
import { JournalError } from "./journal-error.ts";
import type { JournalFile, JournalFiles, LinePlace } from "./journal-files.ts";
import { headerSchema, type JournalHeader, lineHeadSchema, lineSchema } from "./journal-line.ts";

interface JournalPlace {
  path: string;
  changed: "refuse" | "reuse";
  profile: string;
  /** Base URL. */
  server: string;
}

/** An outcome that a journal holds. */
export interface JournalEntry {
  failed: boolean;
  read(request: CompletionRequest): Promise<{ completion: Completion } | { error: ResiduaError }>;
}

interface Kept {
  place: LinePlace;
  failed: boolean;
}

/** Opens a journal, or begins one. Throws JournalError. */
export async function openJournal(files: JournalFiles | undefined, at: JournalPlace): Promise<Journal> {
  if (files === undefined) {
    const advice = "leave `journal` out, or run under Node or Deno";
    throw new JournalError(
      "journal_unsupported",
      `a journal needs files, and there are none here: ${advice}`,
    );
  }
  const kept = new Map<string, Kept>();
  const hashAt = new Map<number, string>();
  let lines = 0;
  const file = await files.open(at.path, {
    mayCut: (torn) => lines > 0 || torn.startsWith(firstWord) || firstWord.startsWith(torn),
    onLine(line, place) {
      if (lines++ === 0) return checkHeader(line, at);
      const head = parseLine(line, lineHeadSchema);
      if (head === undefined) throw damaged(at.path, lines);
      const { index, key, completion, error } = head;
      hashAt.set(index, hashOf(key));
      if (completion !== undefined || error?.final === true)
        kept.set(key, { place, failed: completion === undefined });
    },
  });
  const journal = new Journal(file, { at, kept, hashAt, files });
  if (lines === 0) await journal.begin();
  return journal;
}

/** Outcomes on disk, by request: equal requests are told apart by their order in the list. */
export class Journal {
  readonly #file: JournalFile;
  readonly #at: JournalPlace;
  readonly #kept: Map<string, Kept>;
  readonly #hashAt: Map<number, string>;
  readonly #files: Pick<JournalFiles, "hash" | "base64">;
  readonly #seen = new Map<string, number>();

  constructor(
    file: JournalFile,
    parts: {
      at: JournalPlace;
      kept: Map<string, Kept>;
      hashAt: Map<number, string>;
      files: Pick<JournalFiles, "hash" | "base64">;
    },
  ) {
    this.#file = file;
    this.#at = parts.at;
    this.#kept = parts.kept;
    this.#hashAt = parts.hashAt;
    this.#files = parts.files;
  }

  async begin(): Promise<void> {
    const { profile, server } = this.#at;
    const header: JournalHeader = { residua_journal: 1, profile, server, created: new Date().toISOString() };
    await this.#file.append(`${JSON.stringify(header)}\n`);
  }

  /** To be called once for each request, in the order of the list. */
  keyOf(request: CompletionRequest): string {
    const text = canonicalJSON({ endpoint: "completions", profile: this.#at.profile, request });
    const hash = this.#files.hash(text).slice(0, 32);
    const before = this.#seen.get(hash) ?? 0;
    this.#seen.set(hash, before + 1);
    return `${hash}.${before}`;
  }

  /** Throws JournalError `journal_mismatch` when the journal has another request at this index. */
  find(key: string, index: number): JournalEntry | undefined {
    const hash = this.#hashAt.get(index);
    this.#hashAt.delete(index);
    if (hash !== undefined && hash !== hashOf(key) && this.#at.changed === "refuse") {
      throw mismatch(this.#at.path, `request ${index} is not the one that it has there`);
    }
    const kept = this.#kept.get(key);
    if (kept === undefined) return undefined;
    return { failed: kept.failed, read: (request) => this.#read(kept.place, request) };
  }

  /** Resolves when the lines are on disk. What was found unfit before it was sent is found so again, and is not written. */
  async append(outcomes: readonly { outcome: SampleOutcome; key: string }[]): Promise<void> {
    const lines = outcomes
      .filter(
        ({ outcome: { error } }) => !(error instanceof InvalidRequestError) && error?.code !== "not_sent",
      )
      .map(({ outcome, key }) => `${this.#text(lineOf(outcome, key))}\n`);
    if (lines.length > 0) await this.#file.append(lines.join(""));
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  /** The tensors of a large answer came as bytes; on the wire, and here, they are base64. */
  #text(line: object): string {
    return JSON.stringify(line, (_, value: unknown) =>
      value instanceof Uint8Array ? this.#files.base64(value) : value,
    );
  }

  async #read(
    place: LinePlace,
    request: CompletionRequest,
  ): Promise<{ completion: Completion } | { error: ResiduaError }> {
    const line = parseLine(await this.#file.read(place), lineSchema);
    const completion = line?.completion && asCompletion(line.completion, shapeOf(request));
    if (completion !== undefined) return { completion, ...(line?.packed && { packed: line.packed }) };
    if (line?.error === undefined) throw damaged(this.#at.path);
    const { code, message, status } = line.error;
    return { error: new ResiduaError(code, message, { status, journal: this.#at.path }) };
  }
}

function lineOf({ index, error, ...outcome }: SampleOutcome, key: string): object {
  if (error === undefined) {
    const packed = "packed" in outcome ? outcome.packed : undefined;
    return { index, key, completion: outcome.completion, packed };
  }
  const status = error instanceof APIError ? error.status : undefined;
  return { index, key, error: { code: error.code, message: error.message, status, final: isFinal(error) } };
}

/** The server refused the request itself. Everything else may go better the next time: a budget is renewed, a server mended. */
function isFinal(error: ResiduaError): boolean {
  return (
    error instanceof APIError &&
    !error.retryable &&
    [400, 413, 422].includes(error.status) &&
    !/budget|quota/.test(error.code)
  );
}

const firstWord = '{"residua_journal":1,';

function checkHeader(line: string, { path, profile, server, changed }: JournalPlace): void {
  const header = parseLine(line, headerSchema);
  if (header === undefined) {
    const version = /"residua_journal":(\d+)/.exec(line)?.[1];
    const what = version === undefined ? "its first line is another" : `its version is ${version}, not 1`;
    throw new JournalError("journal_invalid", `${path} is not a journal: ${what}; name another file`, {
      path,
    });
  }
  if (header.profile !== profile)
    throw mismatch(path, `it is of profile ${header.profile}, and this client's is ${profile}`);
  if (changed === "refuse" && hostOf(header.server) !== hostOf(server))
    throw mismatch(path, `it is of the server ${header.server}, and this client's is ${server}`);
}

/** A server on this machine may have another port each time it starts. */
function hostOf(url: string): string {
  const { hostname, host, pathname } = new URL(url);
  const local = /^(localhost|127\..*|\[::1\])$/.test(hostname);
  return local ? "this machine" : host + pathname;
}

const hashOf = (key: string): string => key.slice(0, 32);

function mismatch(path: string, what: string): JournalError {
  const advice = 'name another file, or take over what is equal with { path, changed: "reuse" }';
  return new JournalError("journal_mismatch", `${path} is the journal of another run: ${what}; ${advice}`, {
    path,
  });
}

function damaged(path: string, line?: number): JournalError {
  const where = line === undefined ? "a line" : `line ${line}`;
  const advice = "take that line out, and its request is sent again";
  return new JournalError("journal_damaged", `${path}: ${where} is no outcome; ${advice}`, { path, line });
}

function parseLine<T>(
  line: string,
  schema: { safeParse(value: unknown): { success: true; data: T } | { success: false } },
): T | undefined {
  try {
    const parsed = schema.safeParse(JSON.parse(line));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}
