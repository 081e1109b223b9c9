import { createHash } from "node:crypto";
import { mkdir, readFile, stat } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { provenanceName, writeFileAtomic, type Provenance, type ProvenanceInput } from "@residua/analysis";
import type { CommandContext } from "./make-command.ts";
import { UsageError } from "./usage-error.ts";
import { runVersions } from "./versions.ts";

/** Options of every command that can write its result into a run folder. */
export interface ResultFileOptions {
  out?: string;
  replace?: boolean;
}

/** What a result stood on. */
export interface Stood {
  inputs?: readonly ProvenanceInput[];
  settings?: Provenance["settings"];
}

/** Writes a command's result and, beside it, how it came about. */
export type WriteResult = (result: object, stood: Stood) => Promise<void>;

/**
 * Looks, before any work is done, whether the result can be written where `--out` says. The function that comes back writes it: the document that `--json` prints,
 * byte for byte, and its provenance. Without `--out` it does nothing.
 */
export async function resultFile(
  { out, replace = false }: ResultFileOptions,
  { output }: CommandContext,
): Promise<WriteResult> {
  const begun = performance.now();
  if (out === undefined) return () => Promise.resolve();
  if (!/[^/\\]\.json$/.test(out) || out.endsWith(".provenance.json")) {
    throw new UsageError(
      `--out: "${out}" is not allowed; give a file that ends in .json, such as runs/cities/sweep.json`,
    );
  }
  const there = await stat(out).catch(() => undefined);
  if (there !== undefined && !replace)
    throw new UsageError(`--out: ${out} is there already; name another file, or add --replace`);
  return async (result, { inputs = [], settings = {} }) => {
    const bytes = new TextEncoder().encode(`${JSON.stringify(result)}\n`);
    const provenance: Provenance = {
      format: "residua-provenance",
      schemaVersion: 1,
      file: basename(out),
      sha256: createHash("sha256").update(bytes).digest("hex"),
      command: commandLine(process.argv.slice(2)),
      inputs: [...inputs],
      versions: runVersions(),
      settings,
      createdAt: new Date().toISOString(),
      seconds: Math.round(performance.now() - begun) / 1000,
    };
    await mkdir(dirname(out), { recursive: true });
    await writeFileAtomic(out, [bytes]);
    const text = `${JSON.stringify(provenance, null, 1)}\n`;
    await writeFileAtomic(provenanceName(out), [new TextEncoder().encode(text)]);
    output.progress(`written: ${out}`);
  };
}

/** A file that was read, by its bytes. */
export async function inputFile(role: string, path: string): Promise<ProvenanceInput> {
  return {
    role,
    path,
    sha256: createHash("sha256")
      .update(await readFile(path))
      .digest("hex"),
  };
}

/** A dataset, by what is in it. */
export function inputDataset(path: string, dataset: { manifest: { contentHash: string } }): ProvenanceInput {
  return { role: "dataset", path, sha256: dataset.manifest.contentHash };
}

/** The command as one would type it in a shell. It holds no secret: addresses with a password are refused, and keys come from the environment. */
export function commandLine(words: readonly string[]): string {
  return ["npx", "residua", ...words.map(quoted)].join(" ");
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
