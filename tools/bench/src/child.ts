import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

/** A process that says one thing when it is ready, and answers one message with one. */
export interface Child<Ready, Asked, Answered> {
  readonly ready: Ready;
  ask(message: Asked): Promise<Answered>;
  close(): Promise<void>;
}

export async function startChild<Ready, Asked extends object, Answered>(
  program: string,
  words: readonly string[] = [],
  node = process.execPath,
  environment: Readonly<Record<string, string>> = {},
): Promise<Child<Ready, Asked, Answered>> {
  const child = spawn(node, ["--expose-gc", program, ...words], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
    // A proxy of the environment is no part of what is measured.
    env: { PATH: process.env["PATH"], ...environment },
  });
  const ready = (await heard(child)) as Ready;
  return {
    ready,
    async ask(message) {
      const answer = heard(child);
      child.send(message);
      return (await answer) as Answered;
    },
    async close() {
      const exited = once(child, "exit");
      child.disconnect();
      await exited;
    },
  };
}

async function heard(child: ChildProcess): Promise<unknown> {
  const ended = new AbortController();
  const { signal } = ended;
  try {
    const exit = once(child, "exit", { signal }).then(([code]) => {
      throw new Error(`a process of the contest ended with code ${String(code)}`);
    });
    const [message] = (await Promise.race([once(child, "message", { signal }), exit])) as [unknown];
    return message;
  } finally {
    ended.abort();
  }
}
