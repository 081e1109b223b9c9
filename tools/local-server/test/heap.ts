import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

export const megabyte = 1024 ** 2;

/** Bytes of this process after a full collection: what is in use, and what the system gave. */
export async function memoryInUse(): Promise<{ used: number; rss: number }> {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  for (let i = 0; i < 3; i++) {
    await sleep(100);
    collect();
  }
  const { heapUsed, external, rss } = process.memoryUsage();
  return { used: heapUsed + external, rss };
}
