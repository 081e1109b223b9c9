import { parentPort, workerData } from "node:worker_threads";
import { packError } from "./carried-error.ts";
import type { Answer, Job, Task } from "./worker-messages.ts";
import type { WorkerSetup } from "./worker-thread.ts";

const port = parentPort!;
const { tasks: address } = workerData as WorkerSetup;
let tasks: Promise<{ default: Readonly<Record<string, Task>> }> | undefined;

port.on("message", (job: Job) => void answer(job));

async function answer({ id, name, input }: Job): Promise<void> {
  const send = (message: Answer, transfer: readonly ArrayBuffer[] = []) =>
    port.postMessage(message, [...transfer]);
  try {
    tasks ??= import(address) as NonNullable<typeof tasks>;
    const task = (await tasks).default[name];
    if (!task) throw new Error(`the worker knows no task ${name}`);
    const { output, transfer } = await task(input as never);
    send({ id, output }, transfer);
  } catch (error) {
    send({ id, error: packError(error) });
  }
}
