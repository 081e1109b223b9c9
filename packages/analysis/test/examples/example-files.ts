import { InvalidRequestError } from "@residua/lens";
import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect } from "vitest";
import { loadExamples } from "../../src/examples/load-examples.ts";
import type { LoadExamplesOptions } from "../../src/examples/load-options.ts";

/** A file that make-tables.py or make-inspect.py wrote. */
export const fixture = (name: string): string =>
  fileURLToPath(new URL(`../../fixtures/examples/${name}`, import.meta.url));

export const jsonFixture = (name: string): unknown => JSON.parse(readFileSync(fixture(name), "utf8"));

let folder: string | undefined;
afterAll(async () => {
  if (folder !== undefined) await rm(folder, { recursive: true });
  // Other files' tests may share this module.
  folder = undefined;
});

/** A file of this content, gone after the tests. */
export async function fileOf(name: string, content: string | Uint8Array): Promise<string> {
  folder ??= await mkdtemp(join(tmpdir(), "residua-examples-"));
  const file = join(folder, name);
  await writeFile(file, content);
  return file;
}

export const loadText = async (name: string, content: string | Uint8Array, options?: LoadExamplesOptions) =>
  loadExamples(await fileOf(name, content), options);

/** The faults that loading names. */
export async function faultsOf(loading: Promise<unknown>): Promise<string[]> {
  const error: unknown = await loading.then(
    () => new Error("was accepted"),
    (error: unknown) => error,
  );
  expect(error).toBeInstanceOf(InvalidRequestError);
  const { issues } = error as InvalidRequestError;
  return issues.map(({ field, given, allowed }) => `${field} | ${given} | ${allowed}`);
}
