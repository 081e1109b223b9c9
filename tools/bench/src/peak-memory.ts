import { readFileSync } from "node:fs";

/** The most bytes that this process has held; `maxRSS` would begin with those of the process that started it. */
export function peakMemory(): number {
  return 1024 * Number(/VmHWM:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))![1]);
}
