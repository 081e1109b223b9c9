import { ResiduaError } from "@residua/lens";
import { copyFile, mkdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { hashFile } from "../files/file-hash.ts";
import { wheelPlatform, type NativeFile } from "./native-recipe.ts";
import { runTool, type ToolName } from "./native-tools.ts";

interface FetchOptions {
  /** Where whole files lie. */
  downloads: string;
  /** A folder that has the files already; then nothing is fetched. */
  from?: string | undefined;
  signal?: AbortSignal | undefined;
}

/** The tool and the arguments that fetch a file into a folder. */
export function fetchCommand(
  { tool, requirement }: Pick<NativeFile, "tool" | "requirement">,
  to: string,
): { tool: ToolName; args: string[] } {
  if (tool === "npm") return { tool, args: ["pack", "--silent", "--pack-destination", to, requirement] };
  const quiet = ["--quiet", "--disable-pip-version-check", "--no-cache-dir"];
  const options = ["--no-deps", "--only-binary=:all:", ...wheelPlatform, "--dest", to];
  return { tool, args: ["download", ...quiet, ...options, requirement] };
}

/**
 * The path of a file with the pinned checksum: kept from an earlier run where it is whole, else fetched. A file gets its
 * place only after it was checked. Throws ResiduaError `backend_download_failed`, `backend_file_missing`, `backend_checksum`.
 */
export async function fetchNativeFile(
  file: NativeFile,
  options: FetchOptions,
): Promise<{ path: string; fetched: boolean }> {
  const { downloads, from, signal } = options;
  const path = join(downloads, file.file);
  if ((await whatIsWrong(path, file)) === undefined) return { path, fetched: false };
  await rm(path, { force: true });
  const draft = join(downloads, partName(file.file));
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { recursive: true });
  const drafted = join(draft, file.file);
  try {
    if (from === undefined) await download(file, draft, signal);
    else await take(join(from, file.file), drafted, file);
    const wrong = await whatIsWrong(drafted, file);
    if (wrong !== undefined) {
      const advice = from === undefined ? "Run the command again" : `Fetch it again into ${from}`;
      const message = `${file.file} is not the file that is pinned: ${wrong}. It was not used. ${advice}.`;
      throw new ResiduaError("backend_checksum", message, {
        file: file.file,
        expected: file.sha256,
        found: wrong,
      });
    }
    await rename(drafted, path);
    return { path, fetched: true };
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** The folder beside it in which a file arrives. */
export const partName = (file: string): string => `part-${file}`;

async function download(file: NativeFile, to: string, signal: AbortSignal | undefined): Promise<void> {
  const { tool, args } = fetchCommand(file, to);
  try {
    await runTool(tool, args, { signal });
  } catch (error) {
    signal?.throwIfAborted();
    const message =
      `${file.requirement} could not be fetched: ${(error as Error).message}. Run the command again: what was fetched is kept. ` +
      `Without a network, give the folder that has the files: --from DIR (--dry-run lists them).`;
    throw new ResiduaError("backend_download_failed", message, {
      requirement: file.requirement,
      tool: file.tool,
    });
  }
}

async function take(path: string, to: string, file: NativeFile): Promise<void> {
  try {
    await copyFile(path, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    const message = `${path} is not there: put ${file.file} (${file.requirement}, by ${file.tool}) into that folder, or leave --from out`;
    throw new ResiduaError("backend_file_missing", message, { path, requirement: file.requirement });
  }
}

/** How a file differs from the pinned one; undefined where it does not. */
async function whatIsWrong(path: string, { bytes, sha256 }: NativeFile): Promise<string | undefined> {
  const size = await stat(path).then(
    (found) => found.size,
    () => undefined,
  );
  if (size === undefined) return "there is no such file";
  if (size !== bytes) return `${size} bytes in place of ${bytes}`;
  const found = await hashFile(path);
  return found === sha256 ? undefined : `sha256 ${found} in place of ${sha256}`;
}
