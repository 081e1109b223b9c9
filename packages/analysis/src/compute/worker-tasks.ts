import type { Task } from "./worker-messages.ts";

/** What the package's workers compute; a module is loaded when its task is first asked for. */
export default {
  "sweep-layer": async (input) => (await import("../probes/sweep-task.ts")).sweepTask(input),
  "numeric-suite": async (input) => (await import("../backend/numeric-suite/suite-task.ts")).suiteTask(input),
} satisfies Record<string, Task>;
