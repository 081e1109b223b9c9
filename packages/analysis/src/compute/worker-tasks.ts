import type { Task } from "./worker-messages.ts";

const sweepLayer: Task = async (input) => (await import("../probes/sweep-task.ts")).sweepTask(input);
const numericSuite: Task = async (input) =>
  (await import("../backend/numeric-suite/suite-task.ts")).suiteTask(input);

/** What the package's workers compute; a module is loaded when its task is first asked for. */
const tasks: Readonly<Record<string, Task>> = { "sweep-layer": sweepLayer, "numeric-suite": numericSuite };
export default tasks;
