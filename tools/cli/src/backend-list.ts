import { cacheFolder, standingNatives } from "@residua/analysis/native-backend";
import { size } from "./backend-install.ts";
import { alignColumns } from "./output.ts";
import type { CommandContext } from "./make-command.ts";

/** `residua backend list`: the native backends in the cache folder, the one that is taken first. */
export function backendList(_options: object, { output }: CommandContext): Promise<void> {
  const cache = cacheFolder();
  const { installed, damaged } = standingNatives(cache);
  const rows = installed.map(({ variant, tensorflow, tfjs, bytes, folder }) => [
    variant,
    `TensorFlow ${tensorflow}`,
    `tfjs ${tfjs}`,
    size(bytes),
    folder,
  ]);
  rows.push(...damaged.map(({ variant, folder, damage }) => [variant, "damaged", damage, "", folder]));
  const none = `no native backend in ${cache}; residua backend install builds one`;
  output.result({ cache, installed, damaged }, rows.length === 0 ? none : alignColumns(rows));
  return Promise.resolve();
}
