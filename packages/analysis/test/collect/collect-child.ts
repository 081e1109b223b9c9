import { ResiduaError } from "@residua/lens";
import { collect } from "../../src/collect/collect.ts";
import { collectRollouts } from "../../src/collect/rollouts/collect-rollouts.ts";
import { MemoryLens } from "./memory-lens.ts";
import { someExamples } from "./some-examples.ts";

/**
 * Collects into the folder given, slowly enough to be killed, and tells each capture that it starts. The last argument: how many
 * examples fail (each third), or `rollouts`.
 */
const [folder, count, shardRows, mode = "0"] = process.argv.slice(2) as [string, string, string, string?];
const tell = (what: unknown): void => void process.stdout.write(`${JSON.stringify(what)}\n`);
const failing = someExamples(Number(count))
  .filter((_, i) => i % 3 === 1)
  .slice(0, Number(mode) || 0)
  .map(({ prompt }) => JSON.stringify(prompt));
const lens = new MemoryLens({
  delay: () => 2,
  onCapture: ({ prompt }) => {
    tell(prompt);
    if (failing.includes(JSON.stringify(prompt))) throw new ResiduaError("no_row", "not this one");
  },
  onGenerate: ({ prompt }) => tell(prompt),
});
const stop = new AbortController();
process.once("SIGTERM", () => stop.abort(new Error("stopped")));
const options = {
  layers: "all",
  select: { last: 3 },
  to: folder,
  shardRows: Number(shardRows),
  concurrency: 3,
  signal: stop.signal,
} as const;
const examples = someExamples(Number(count));
const run =
  mode === "rollouts"
    ? collectRollouts(lens, examples, {
        ...options,
        max_tokens: 4,
        grade: (rollout) => {
          tell(rollout.seed);
          return rollout.generatedIds.length;
        },
      })
    : collect(lens, examples, options);
await run.catch((error: Error) => {
  process.exitCode = error.message === "stopped" ? 143 : 1;
  process.stderr.write(`${error.message}\n`);
});
