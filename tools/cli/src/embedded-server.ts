import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { createInterface } from "node:readline";
import * as z from "zod";
import { UsageError } from "./usage-error.ts";

/** A server process of our own, on a free loopback port. */
export interface EmbeddedServer {
  /** Base URL, ending in `/v1`. */
  readonly url: string;
  readonly model: string;
  /** Stops the process and resolves when it is gone, with its peak memory in bytes where it could be told. */
  close(): Promise<{ peakMemory: number | undefined }>;
}

const ready = z.object({ url: z.string(), model: z.string() });
const memory = z.object({ peakMemory: z.number() });

/**
 * Starts `residua serve` as a child process. The child ends with its parent, however the parent ends: the channel
 * between them is its lifeline. Throws when the server does not come up, with what it said.
 */
export async function startEmbeddedServer({
  model,
  profile,
  signal,
}: {
  model: string;
  profile?: string;
  signal?: AbortSignal | undefined;
}): Promise<EmbeddedServer> {
  const bin = fileURLToPath(new URL("../bin/residua.js", import.meta.url));
  const words = [
    "serve",
    "--model",
    model,
    "--port",
    "0",
    "--json",
    ...(profile ? ["--profile", profile] : []),
  ];
  const child = spawn(process.execPath, [bin, ...words], {
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    // A group of its own: Ctrl-C reaches the parent alone, which then stops the server in order.
    detached: true,
  });
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  let complaint = "";
  child.stderr?.on("data", (chunk: Buffer) => (complaint = `${complaint}${chunk.toString()}`.slice(-4000)));

  const close = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return { peakMemory: undefined };
    const peakMemory = await askPeakMemory(child);
    child.kill("SIGTERM");
    const giveUp = setTimeout(() => child.kill("SIGKILL"), 5000);
    await exited;
    clearTimeout(giveUp);
    return { peakMemory };
  };

  const failed = exited.then(() => {
    const text = complaint.trim().replace(/^residua: /, "");
    const message = text || `the embedded server ended with code ${child.exitCode} before it answered`;
    throw child.exitCode === 2 ? new UsageError(message) : new Error(message);
  });
  const aborted = new Promise<never>((_, reject) => {
    if (signal?.aborted) reject(signal.reason as Error);
    signal?.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });
  failed.catch(() => undefined);
  aborted.catch(() => undefined);
  try {
    const line = await Promise.race([firstLine(child.stdout!), failed, aborted]);
    const { url, model: id } = ready.parse(JSON.parse(line));
    return { url, model: id, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function firstLine(stream: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: stream })) return line;
  return await new Promise<never>(() => undefined); // the stream ended without a line: the exit tells why
}

function askPeakMemory(child: ReturnType<typeof spawn>): Promise<number | undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(undefined), 1000);
    child.once("message", (message) => {
      clearTimeout(timer);
      resolve(memory.safeParse(message).data?.peakMemory);
    });
    if (child.connected) child.send("peak memory?", (error) => error && resolve(undefined));
    else resolve(undefined);
  });
}
