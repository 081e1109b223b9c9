import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import type { ChildReport, ChildRun } from "./run-child.ts";

/** A process of its own that samples; `report` resolves with what it printed, or undefined when it was killed. */
export function startChild(run: ChildRun): { child: ChildProcess; report: Promise<ChildReport | undefined> } {
  const script = fileURLToPath(new URL("run-child.ts", import.meta.url));
  const args = ["--import", "tsx", "--conditions=@residua/source", script, JSON.stringify(run)];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const report = Promise.all([text(child.stdout), once(child, "exit")]).then(([out]) =>
    out === "" ? undefined : (JSON.parse(out) as ChildReport),
  );
  return { child, report };
}
