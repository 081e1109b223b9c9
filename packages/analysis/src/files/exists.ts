import { stat } from "node:fs/promises";

/** Whether there is something of this name. */
export function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
