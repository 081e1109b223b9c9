import { collect } from "../../src/collect/collect.ts";
import { MemoryLens } from "./memory-lens.ts";
import { someExamples } from "./some-examples.ts";

/** Collects into the folder given, slowly enough to be killed, and tells each capture that it starts. */
const [folder, count, shardRows] = process.argv.slice(2) as [string, string, string];
const lens = new MemoryLens({
  delay: () => 2,
  onCapture: ({ prompt }) => void process.stdout.write(`${JSON.stringify(prompt)}\n`),
});
const stop = new AbortController();
process.once("SIGTERM", () => stop.abort(new Error("stopped")));
await collect(lens, someExamples(Number(count)), {
  layers: "all",
  select: { last: 3 },
  to: folder,
  shardRows: Number(shardRows),
  concurrency: 3,
  signal: stop.signal,
}).catch((error: Error) => {
  process.exitCode = error.message === "stopped" ? 143 : 1;
  process.stderr.write(`${error.message}\n`);
});
