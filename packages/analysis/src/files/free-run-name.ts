import { stat } from "node:fs/promises";
import { checkPath } from "../options/check-path.ts";

/** The first of `folder`, `folder-2`, `folder-3`, … that is not there yet. */
export async function freeRunName(folder: string): Promise<string> {
  checkPath(folder, "folder");
  const isFree = (path: string): Promise<boolean> =>
    stat(path).then(
      () => false,
      () => true,
    );
  if (await isFree(folder)) return folder;
  let n = 2;
  while (!(await isFree(`${folder}-${n}`))) n++;
  return `${folder}-${n}`;
}
