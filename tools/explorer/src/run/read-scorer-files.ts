import { open } from "node:fs/promises";
import { basename, join } from "node:path";
import { directionFromJSON, loadProbe } from "@residua/analysis";
import { openSafetensors, readDirectionFile } from "@residua/lens";
import { directionScorer } from "../scorers/direction-scorer.ts";
import { probeScorers, type ProbeFile } from "../scorers/probe-scorers.ts";
import type { Scorer } from "../scorers/scorer.ts";

/** A file that says it is a probe or a direction, and could not be used. */
export interface UnreadFile {
  readonly file: string;
  readonly reason: string;
}

/** Where a document's kind stands: among its first fields. */
const headBytes = 4096;

/** Trained probes (`saveProbe`), directions as JSON, and directions that `saveDirection` wrote. Other files are left alone. */
export async function readScorerFiles(
  folder: string,
  files: readonly string[],
): Promise<{ scorers: Scorer[]; unread: UnreadFile[] }> {
  const probes: ProbeFile[] = [];
  const directions: Scorer[] = [];
  const unread: UnreadFile[] = [];
  for (const file of files) {
    const path = join(folder, file);
    try {
      if (file.endsWith(".safetensors")) {
        if (!(await isSavedDirection(path))) continue;
        const name = basename(file, ".safetensors");
        directions.push(directionScorer(await readDirectionFile(path, name), { name, file }));
      } else if (file.endsWith(".json")) {
        const head = await readText(path, headBytes);
        const kind = /"kind"\s*:\s*"(trained-probe|direction)"/.exec(head)?.[1];
        if (kind === "trained-probe") probes.push(await readProbe(path, file));
        if (kind === "direction") directions.push(await readDirectionDocument(path, file));
      }
    } catch (error) {
      unread.push({ file, reason: (error as Error).message });
    }
  }
  return { scorers: [...probeScorers(probes), ...directions], unread };
}

async function isSavedDirection(path: string): Promise<boolean> {
  // A file of another tool, or a model's weights, may be anything.
  const file = await openSafetensors(path).catch(() => undefined);
  await file?.close();
  return file?.metadata["format"] === "residua.direction";
}

async function readProbe(path: string, file: string): Promise<ProbeFile> {
  const probe = await loadProbe(path);
  if (probe.layer !== null) return { file, probe };
  throw new Error("The probe does not say its layer: give trainProbe the layer, and save it again.");
}

async function readDirectionDocument(path: string, file: string): Promise<Scorer> {
  const direction = directionFromJSON(JSON.parse(await readText(path)));
  const { label, positive, model } = direction.source;
  const name = basename(file, ".json");
  const sides =
    positive === null
      ? [undefined, undefined]
      : [`${label} is ${String(positive)}`, `${label} is not ${String(positive)}`];
  return directionScorer([direction], { name, file, above: sides[0], below: sides[1], model });
}

async function readText(path: string, bytes?: number): Promise<string> {
  const file = await open(path);
  try {
    if (bytes === undefined) return await file.readFile("utf8");
    const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, 0);
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await file.close();
  }
}
