import type { Task } from "./worker-messages.ts";

const sweepLayer: Task = async (input) => {
  const { sweepTask } = await import("../sweep/sweep-task.ts");
  return await sweepTask(input);
};

const fitHeldOut: Task = async (input) => {
  const { heldOutTask } = await import("../sweep/sweep-task.ts");
  return await heldOutTask(input);
};

const fitColumns: Task = async (input) => {
  const { fitTask } = await import("../probes/fit-layers/fit-layers-task.ts");
  return await fitTask(input);
};

const numericSuite: Task = async (input) => {
  const { suiteTask } = await import("../backend/numeric-suite/suite-task.ts");
  return await suiteTask(input);
};

/** What the package's workers compute; a module is loaded when its task is first asked for. */
const tasks: Readonly<Record<string, Task>> = {
  "sweep-layer": sweepLayer,
  "fit-held-out": fitHeldOut,
  "fit-columns": fitColumns,
  "numeric-suite": numericSuite,
};
export default tasks;
