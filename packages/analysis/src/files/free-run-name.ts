import { checkPath } from "../options/check-path.ts";
import { exists } from "./exists.ts";

/** The first of `folder`, `folder-2`, `folder-3`, … that is not there yet. */
export async function freeRunName(folder: string): Promise<string> {
  checkPath(folder, "folder");
  if (!(await exists(folder))) return folder;
  let n = 2;
  while (await exists(`${folder}-${n}`)) n++;
  return `${folder}-${n}`;
}
