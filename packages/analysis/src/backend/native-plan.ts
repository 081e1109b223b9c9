import { existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { compileArguments } from "./native-build.ts";
import { fetchCommand } from "./native-fetch.ts";
import { cacheFolder, installedNatives, nativeFolder } from "./native-place.ts";
import { checkNativeSource } from "./native-source.ts";
import { installedBytes, nativeFiles, type NativeVariant } from "./native-recipe.ts";
import { shownCommand } from "./native-tools.ts";

/** What an installation would do. */
export interface NativePlan {
  variant: NativeVariant;
  folder: string;
  /** It is there already: nothing would be done. */
  installed: boolean;
  steps: readonly { what: string; command: string; bytes: number | null; done: boolean }[];
  /** Bytes to fetch, without what is there. */
  fetchBytes: number;
  /** Bytes that it takes on disk in the end. */
  diskBytes: number;
}

/**
 * Looks only, and changes nothing; files that are there are taken by their size, and checked when they are used. Throws what
 * `checkNativeSource` says of `from`.
 */
export function planNative({
  variant = "cpu",
  from,
  cache = cacheFolder(),
}: { variant?: NativeVariant; from?: string; cache?: string } = {}): NativePlan {
  const folder = nativeFolder(variant, cache);
  const downloads = join(dirname(folder), "downloads");
  const installed = installedNatives(cache).some((found) => found.variant === variant);
  const files = nativeFiles(variant).map((file) => ({
    file,
    done: isThere(join(downloads, file.file), file.bytes),
  }));
  const wanted = files.filter(({ done }) => !done).map(({ file }) => file);
  if (from !== undefined && !installed) checkNativeSource(from, wanted);
  const fetches = files.map(({ file, done }) => {
    const { tool, args } = fetchCommand(file, downloads);
    const command =
      from === undefined ? shownCommand(tool, args) : `cp ${join(from, file.file)} ${downloads}`;
    return { what: file.file, command, bytes: file.bytes, done };
  });
  const steps = [
    ...fetches,
    { what: "unpack", command: "python3 (zipfile, tarfile)", bytes: null, done: false },
    { what: "compile the addon", command: shownCommand("g++", compileArguments()), bytes: null, done: false },
    { what: "load it in a process of its own", command: "node", bytes: null, done: false },
  ];
  return {
    variant,
    folder,
    installed,
    steps,
    fetchBytes: fetches.reduce((sum, { bytes, done }) => sum + (done ? 0 : bytes), 0),
    diskBytes: installedBytes[variant],
  };
}

const isThere = (path: string, bytes: number) => existsSync(path) && statSync(path).size === bytes;
