import { hasDuplicateKeys, InvalidRequestError, ResiduaError } from "@residua/lens";
import { fileError } from "../dataset/dataset-error.ts";
import { writeFileAtomic } from "../files/file-atomic.ts";
import { LayoutError, openRegular } from "../files/file-read.ts";
import { checkPath } from "../options/check-path.ts";
import { shown } from "../options/shown.ts";
import { ProbeError } from "./probe-error.ts";

/** A kind of document that has a file of its own. */
export interface DocumentKind<T> {
  readonly code: "bad_probe" | "bad_eraser";
  /** "trained probe", say. */
  readonly name: string;
  /** Throws ProbeError of the code where the JSON is none. */
  read(this: void, json: unknown): T;
}

/** A document of a hundred million numbers: more is another kind of file. */
const longest = 2 ** 31;

/**
 * Writes what has `toJSON` as JSON. It is read before: what could not be loaded again must not take the place of a good file. Throws
 * InvalidRequestError, ProbeError of the kind's code, DatasetError where it cannot be written.
 */
export async function writeDocument<T>(path: string, given: unknown, kind: DocumentKind<T>): Promise<void> {
  checkPath(path, "path");
  const json = documentOf(given, kind.name);
  kind.read(json);
  await writeFileAtomic(path, [new TextEncoder().encode(`${JSON.stringify(json)}\n`)]);
}

function documentOf(given: unknown, name: string): unknown {
  const { toJSON } = Object(given) as { toJSON?: unknown };
  if (typeof toJSON === "function") return toJSON.call(given) as unknown;
  const isPromise = typeof (Object(given) as PromiseLike<unknown>).then === "function";
  const what = isPromise ? "a promise: await it" : given === undefined ? "nothing" : shown(given);
  throw new InvalidRequestError([{ field: name, given: what, allowed: `a ${name}` }], `saving a ${name}`);
}

/** Reads what `writeDocument` wrote. Throws ProbeError of the kind's code that names the file and its fault, DatasetError where it cannot be read. */
export async function readDocument<T>(path: string, { code, name, read }: DocumentKind<T>): Promise<T> {
  checkPath(path, "path");
  const bad = (fault: string, cause: Error) =>
    Object.assign(new ProbeError(code, `${path}: ${fault}`, { path }), { cause });
  try {
    const text = await textOf(path);
    const json: unknown = JSON.parse(text);
    if (hasDuplicateKeys(text, json)) throw new LayoutError("a key that comes twice in an object");
    return read(json);
  } catch (error) {
    if (error instanceof ProbeError) throw bad(error.message, error);
    if (error instanceof SyntaxError) throw bad(`It is not whole JSON (${error.message}).`, error);
    if (error instanceof LayoutError) throw bad(`It is no ${name}: ${error.message}.`, error);
    if (error instanceof ResiduaError) throw error;
    throw fileError(error, path, "read");
  }
}

async function textOf(path: string): Promise<string> {
  const { file, found } = await openRegular(path);
  try {
    if (found.size > longest) throw new LayoutError(`${found.size} bytes`);
    return new TextDecoder("utf-8", { fatal: true }).decode(await file.readFile());
  } catch (error) {
    throw error instanceof TypeError ? new LayoutError("not UTF-8") : error;
  } finally {
    await file.close();
  }
}
