import { ResiduaError } from "@residua/lens";
import { rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { DatasetError } from "../dataset/dataset-error.ts";
import { exists } from "../files/exists.ts";
import { lockFolder } from "../files/file-lock.ts";
import { makeFolder } from "../files/make-folder.ts";
import { compileAddon, completeNativeFolder, tryAddon, unpackNativeFile } from "./native-build.ts";
import { fetchNativeFile, partName } from "./native-fetch.ts";
import {
  cacheFolder,
  damagedNatives,
  folderBytes,
  installedNatives,
  manifestName,
  nativeFolder,
} from "./native-place.ts";
import type { InstalledNative, NativeManifest } from "./native-place.ts";
import { planNative } from "./native-plan.ts";
import { nativeFiles, tensorflowVersion, tfjsVersion, type NativeVariant } from "./native-recipe.ts";
import { requireTools } from "./native-tools.ts";

export interface InstallNativeOptions {
  /** Default `cpu`. */
  variant?: NativeVariant;
  /** A folder with the wheels and tarballs; then nothing is fetched. */
  from?: string;
  /** The cache folder. Default: what `cacheFolder` says. */
  cache?: string;
  signal?: AbortSignal;
  /** Told before each step, with what it is about. */
  onStep?: (step: string) => void;
}

/**
 * Builds the native backend into the cache folder: fetches, unpacks, compiles, tries it, and only then gives it its name. What
 * is done is not done again, in a later run neither; one that is whole is returned as it is, a damaged one is built anew. Throws ResiduaError
 * `backend_unsupported`, `backend_tool_missing`, `backend_not_writable`, `backend_locked`, `backend_download_failed`, `backend_file_missing`,
 * `backend_checksum`, `backend_build_failed`, and what the file system says.
 */
export async function installNative(options: InstallNativeOptions = {}): Promise<InstalledNative> {
  const { variant = "cpu", from, cache = cacheFolder(), signal, onStep = () => undefined } = options;
  requireLinux();
  const present = installed(variant, cache);
  if (present) return present;
  // What the folder lacks is named before anything is unpacked.
  if (from !== undefined) planNative({ variant, from, cache });
  await requireTools(from === undefined ? ["python3", "pip", "npm", "g++"] : ["python3", "g++"]);
  return await alone(cache, async () => {
    const meanwhile = installed(variant, cache);
    if (meanwhile) return meanwhile;
    const folder = nativeFolder(variant, cache);
    const work = join(dirname(folder), `building-${basename(folder)}`);
    const downloads = join(dirname(folder), "downloads");
    for (const damaged of damagedNatives(cache)) {
      if (damaged.variant !== variant) continue;
      onStep(`removing what is there: ${damaged.damage}`);
      await removeWhole(folder);
    }
    await makeFolder(work);
    await makeFolder(downloads);
    const once = stepsOf(work, onStep, signal);
    for (const file of nativeFiles(variant)) {
      await once(`unpacked ${file.sha256}`, `${file.requirement} (${megabytes(file.bytes)})`, async () => {
        const { path } = await fetchNativeFile(file, { downloads, from, signal });
        await unpackNativeFile(path, file, work, signal);
      });
    }
    await completeNativeFolder(work);
    await once("compiled", "compiling the addon", () => compileAddon(work, signal));
    await once("tried", "loading it", () => tryAddon(work, signal));
    const manifest = await finish(work, variant);
    await rename(work, folder);
    for (const { file } of nativeFiles(variant)) await rm(join(downloads, file), { force: true });
    return { ...manifest, folder };
  });
}

/** Removes the variants that are installed, and what unfinished installations have left. Gives the folders. */
export async function removeNative({
  variants = ["cpu", "cuda"],
  cache = cacheFolder(),
}: { variants?: readonly NativeVariant[]; cache?: string } = {}): Promise<string[]> {
  const native = join(cache, "native");
  if (!(await exists(native))) return [];
  return await alone(cache, async () => {
    const removed: string[] = [];
    for (const variant of variants) {
      const folder = nativeFolder(variant, cache);
      for (const path of [folder, join(native, `building-${basename(folder)}`)]) {
        if (!(await exists(path))) continue;
        await removeWhole(path);
        removed.push(path);
      }
      for (const { file } of nativeFiles(variant))
        for (const name of [file, partName(file)])
          await rm(join(native, "downloads", name), { force: true, recursive: true });
    }
    return removed;
  });
}

/** By rename first: nobody finds half of one. */
async function removeWhole(path: string): Promise<void> {
  const aside = join(dirname(path), `removing-${basename(path)}`);
  await rm(aside, { recursive: true, force: true });
  await rename(path, aside);
  await rm(aside, { recursive: true, force: true });
}

const installed = (variant: NativeVariant, cache: string) =>
  installedNatives(cache).find((found) => found.variant === variant);

function requireLinux(): void {
  const here = `${process.platform} ${process.arch}`;
  const why =
    here !== "linux x64"
      ? `only on linux x64, and this is ${here}: install @tensorflow/tfjs-node-gpu by npm beside @residua/analysis`
      : process.versions["deno"] !== undefined
        ? "only by Node: run the command with Node; Deno loads the result"
        : undefined;
  if (why !== undefined)
    throw new ResiduaError("backend_unsupported", `the native backend is built ${why}`, { here });
}

/** Holds the place of the one who changes the cache's native backends. */
async function alone<T>(cache: string, work: () => Promise<T>): Promise<T> {
  const native = join(cache, "native");
  await makeFolder(native).catch((error: unknown) => {
    throw notWritable(native, (error as Error).message);
  });
  const lock = await lockFolder(native).catch((error: unknown) => {
    if (!(error instanceof DatasetError)) throw error;
    if (error.code !== "dataset_locked") throw notWritable(native, error.found);
    const message = `another installation runs in ${native}: ${error.found}. ${error.advice}`;
    throw new ResiduaError("backend_locked", message, { folder: native });
  });
  try {
    return await work();
  } finally {
    await lock.release();
  }
}

function notWritable(native: string, why: string): ResiduaError {
  const message = `the cache folder cannot be written (${why}): set RESIDUA_CACHE to a folder that can`;
  return new ResiduaError("backend_not_writable", message, { folder: native });
}

/** Runs each step once over all runs: a file in the folder says that it was done. */
function stepsOf(work: string, onStep: (step: string) => void, signal: AbortSignal | undefined) {
  return async (name: string, text: string, run: () => Promise<void>): Promise<void> => {
    const done = join(work, "build", `done-${name.replaceAll(" ", "-")}`);
    signal?.throwIfAborted();
    if (await exists(done)) return;
    onStep(text);
    await run();
    await makeFolder(join(work, "build"));
    await writeFile(done, "");
  };
}

async function finish(work: string, variant: NativeVariant): Promise<NativeManifest> {
  for (const path of ["build", join("tensorflow", "include")]) {
    await rm(join(work, path), { recursive: true, force: true });
  }
  const manifest: NativeManifest = {
    schemaVersion: 1,
    variant,
    tfjs: tfjsVersion,
    tensorflow: tensorflowVersion,
    installed: new Date().toISOString(),
    bytes: folderBytes(work),
  };
  await writeFile(join(work, manifestName), `${JSON.stringify(manifest, null, 2)}\n`);
  return manifest;
}

const megabytes = (bytes: number) =>
  bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${Math.round(bytes / 1e6)} MB`;
