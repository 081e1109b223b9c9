import { setImmediate } from "node:timers/promises";
import type { Driver } from "./driver.ts";
import { openaiDriver } from "./openai-driver.ts";
import { residuaDriver } from "./residua-driver.ts";
import type { Task, TaskResult } from "./task.ts";

// A process in which nothing but one client runs: what it uses is the client's. It takes one task a message.

const drivers: Readonly<Record<string, (baseURL: string) => Driver>> = {
  residua: residuaDriver,
  openai: openaiDriver,
};

process.on("message", (task: Task) => {
  void run(task).then((result) => process.send!(result));
});
process.send!({ ready: true });

async function run(task: Task): Promise<TaskResult> {
  const driver = drivers[process.argv[2]!]!(task.baseURL);
  const before = process.cpuUsage();
  const began = performance.now();
  const result = await perform(task, driver);
  const wall = performance.now() - began;
  const { user, system } = process.cpuUsage(before);
  await driver.close();
  return { cpu: (user + system) / 1000, wall, peakRss: process.resourceUsage().maxRSS * 1024, ...result };
}

async function perform(task: Task, driver: Driver): Promise<{ text: string; held: number }> {
  switch (task.do) {
    case "requests": {
      let text = "";
      let left = task.count;
      const worker = async () => {
        while (left-- > 0) text = await driver.complete();
      };
      await Promise.all(Array.from({ length: task.atOnce }, worker));
      return { text, held: 0 };
    }
    case "stream": {
      let text = "";
      for (let i = 0; i < task.count; i++) await driver.stream((part) => void (text += part));
      return { text, held: 0 };
    }
    case "streams":
      return heldStreams(task, driver);
    case "sampleMany":
      return { text: String(await driver.sampleMany(task.count)), held: 0 };
  }
}

/** Many streams, all open with their first chunk read when the memory is looked at, and then read to their ends. */
async function heldStreams({ count, release }: Task & { do: "streams" }, driver: Driver) {
  const before = await heldBytes();
  let opened = 0;
  let characters = 0;
  const allOpen = gate();
  const goOn = gate();
  const streams = Array.from({ length: count }, async () => {
    let first = true;
    await driver.stream((part) => {
      characters += part.length;
      if (!first) return undefined;
      first = false;
      if (++opened === count) allOpen.open();
      return goOn.passed;
    });
  });
  const ended = Promise.all(streams);
  await Promise.race([allOpen.passed, ended]);
  const held = (await heldBytes()) - before;
  await fetch(release);
  goOn.open();
  await ended;
  return { text: String(characters), held };
}

function gate() {
  let open = () => undefined as void;
  const passed = new Promise<void>((resolve) => (open = resolve));
  return { passed, open: () => open() };
}

/** Bytes of the heap and of buffers that are still in use. */
async function heldBytes(): Promise<number> {
  for (let i = 0; i < 3; i++) {
    await setImmediate();
    globalThis.gc!();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
