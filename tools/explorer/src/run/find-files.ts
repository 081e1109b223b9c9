import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { ExplorerError } from "../explorer-error.ts";

/** Folders below the run that are looked into, and files that are listed, at most. */
const deepest = 3;
const mostFiles = 5000;

/** What a run's folder holds, by paths from it with "/" between the parts, sorted. */
export interface FoundFiles {
  readonly files: readonly string[];
  /** There are more, which were not looked at. */
  readonly more: boolean;
}

/** Files of a folder and of those in it; links and names that begin with a dot are left alone. Throws `folder_unreadable`. */
export async function findFiles(folder: string): Promise<FoundFiles> {
  const files: string[] = [];
  let more = false;
  const look = async (inside: string, depth: number): Promise<void> => {
    const entries = await readdir(join(folder, inside), { withFileTypes: true }).catch(
      (cause: NodeJS.ErrnoException) => {
        throw new ExplorerError(
          "folder_unreadable",
          `${join(folder, inside)} cannot be read as a folder (${cause.code ?? cause.message}): give the folder of a run, such as runs/first-run.`,
          { path: join(folder, inside) },
        );
      },
    );
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (entry.name.startsWith(".")) continue;
      const path = inside === "" ? entry.name : `${inside}/${entry.name}`;
      if (entry.isDirectory()) {
        if (depth < deepest) await look(path, depth + 1);
        else more = true;
      } else if (entry.isFile()) {
        if (files.length < mostFiles) files.push(path);
        else more = true;
      }
    }
  };
  await look("", 0);
  return { files, more };
}
