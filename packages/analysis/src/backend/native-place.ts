import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { z } from "zod";
import { nativeVariants, tensorflowVersion, tfjsVersion, type NativeVariant } from "./native-recipe.ts";

const manifestSchema = z.object({
  schemaVersion: z.literal(1),
  variant: z.enum(nativeVariants),
  tfjs: z.string(),
  tensorflow: z.string(),
  /** When it was finished, ISO 8601. */
  installed: z.string(),
  /** Of all its files but this one. */
  bytes: z.number(),
});

/** What `native.json` says of an installation; it is written last. */
export type NativeManifest = z.infer<typeof manifestSchema>;

/** An installed native backend. */
export interface InstalledNative extends NativeManifest {
  folder: string;
}

/** What stands where an installation belongs, and is none that can be loaded: a torn library would end the process. */
export interface DamagedNative {
  variant: NativeVariant;
  folder: string;
  damage: string;
}

export const manifestName = "native.json";

/** Residua's cache folder: `RESIDUA_CACHE`, else `residua` in `XDG_CACHE_HOME` or `~/.cache`. */
export function cacheFolder(env: NodeJS.ProcessEnv = process.env): string {
  if (env["RESIDUA_CACHE"]) return env["RESIDUA_CACHE"];
  const base = env["XDG_CACHE_HOME"];
  // The XDG specification: a path that is not absolute is to be ignored.
  return join(base && isAbsolute(base) ? base : join(homedir(), ".cache"), "residua");
}

/** Where a variant of the versions that this package pins belongs. */
export function nativeFolder(variant: NativeVariant, cache: string): string {
  return join(cache, "native", `tfjs-${tfjsVersion}-tensorflow-${tensorflowVersion}-${variant}`);
}

/** The installations of this package's versions, in the order in which they are tried: CUDA first. */
export function installedNatives(cache: string = cacheFolder()): InstalledNative[] {
  return standingNatives(cache).installed;
}

export function damagedNatives(cache: string = cacheFolder()): DamagedNative[] {
  return standingNatives(cache).damaged;
}

/** Both, by one look at all their files. */
export function standingNatives(cache: string = cacheFolder()): {
  installed: InstalledNative[];
  damaged: DamagedNative[];
} {
  const found = (["cuda", "cpu"] as const).flatMap((variant): (InstalledNative | DamagedNative)[] => {
    const folder = nativeFolder(variant, cache);
    if (!existsSync(folder)) return [];
    const manifest = readManifest(folder);
    if (manifest === undefined)
      return [{ variant, folder, damage: `its ${manifestName} is missing or damaged` }];
    const bytes = folderBytes(folder);
    if (bytes === manifest.bytes) return [{ ...manifest, folder }];
    return [{ variant, folder, damage: `its files have ${bytes} bytes in place of ${manifest.bytes}` }];
  });
  return {
    installed: found.filter((one): one is InstalledNative => !("damage" in one)),
    damaged: found.filter((one): one is DamagedNative => "damage" in one),
  };
}

/** Of all files in an installation but its manifest. */
export function folderBytes(folder: string): number {
  const manifest = join(folder, manifestName);
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .reduce((sum, path) => sum + (path === manifest ? 0 : statSync(path).size), 0);
}

function readManifest(folder: string): NativeManifest | undefined {
  try {
    return manifestSchema.parse(JSON.parse(readFileSync(join(folder, manifestName), "utf8")));
  } catch {
    return undefined;
  }
}
