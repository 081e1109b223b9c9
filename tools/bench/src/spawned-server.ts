import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import * as z from "zod";

const command = fileURLToPath(new URL("../../cli/bin/residua.js", import.meta.url));
const started = z.object({ url: z.string(), model: z.string() });
const told = z.object({ peakMemory: z.number() });
const answered = z.object({
  choices: z.array(z.object({ text: z.string() })),
  usage: z.object({ prompt_tokens: z.int(), completion_tokens: z.int() }),
  activations: z.object({ residual_stream: z.object({ shape: z.array(z.int()) }) }).optional(),
});

type Answer = z.infer<typeof answered>;

/** `residua serve` in a process of its own. */
export interface SpawnedServer {
  /** Sends one completion request and reads the whole answer. */
  complete(body: object): Promise<Answer>;
  /** The most bytes that the process has held. */
  memory(): Promise<number>;
  close(): Promise<void>;
}

/** Starts `residua serve --model MODEL` from the sources, as a user does, and resolves once it listens. */
export async function spawnServer(model: string): Promise<SpawnedServer> {
  const child = spawn(process.execPath, [command, "serve", "--model", model, "--port", "0", "--json"], {
    stdio: ["ignore", "pipe", "inherit", "ipc"],
  });
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  let printed = "";
  for await (const chunk of child.stdout!) {
    printed += String(chunk);
    if (printed.endsWith("}\n")) break;
  }
  const server = started.parse(JSON.parse(printed));
  return {
    complete: async (body) => {
      const response = await fetch(`${server.url}/completions`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ model: server.model, temperature: 0, ...body }),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`the server answered ${response.status}: ${text.slice(0, 500)}`);
      return answered.parse(JSON.parse(text));
    },
    memory: () =>
      new Promise((resolve, reject) => {
        child.once("message", (message) => resolve(told.parse(message).peakMemory));
        child.send("memory", (error) => error && reject(error));
      }),
    close: async () => {
      child.disconnect();
      await exited;
    },
  };
}
