import { startServer, type ProfileName } from "@residua/local-server";
import { modelFolder } from "@residua/tiny-model";
import { listQuirks } from "./list-quirks.ts";
import type { Output } from "./output.ts";
import { UsageError } from "./usage-error.ts";

/** Options of `residua serve`. */
export interface ServeOptions {
  model: string;
  modelId?: string;
  backend: "wasm" | "native";
  port: number;
  host: string;
  apiKey?: string;
  apiKeyFile?: string;
  ledger?: string;
  jobs?: string;
  profile?: ProfileName;
  quirk: string[];
  quirkSeed: number;
  testMode?: boolean;
  listQuirks?: boolean;
}

/** `residua serve`: runs the server until it is told to stop, or until the process that started it is gone; or lists quirks. */
export async function serve(
  options: ServeOptions,
  { output, signal }: { output: Output; signal: AbortSignal },
): Promise<void> {
  const { profile = "acs" } = options;
  if (options.listQuirks === true) return listQuirks(output, options.profile ?? null);
  const tiny = options.model === "tiny";
  const folder = tiny ? modelFolder : options.model;
  if (options.modelId === "") throw new UsageError("--model-id is empty; give the id that requests name");
  const modelId = options.modelId ?? (tiny ? "tiny" : folderName(folder));
  const { port, host, apiKey, apiKeyFile, ledger, jobs, quirkSeed, testMode = false } = options;
  const server = await startServer({
    model: folder,
    modelId,
    backend: options.backend,
    port,
    host,
    profile,
    quirks: options.quirk,
    quirkSeed,
    testMode,
    ...(!tiny && { checkpoint: folderName(folder) }),
    ...(apiKey !== undefined && { apiKey }),
    ...(apiKeyFile !== undefined && { apiKeys: apiKeyFile }),
    ...(ledger !== undefined && { ledger }),
    ...(jobs !== undefined && { jobs }),
  });
  const stop = new AbortController();
  signal.addEventListener("abort", () => stop.abort(), { once: true });
  if (process.channel) {
    process.on("disconnect", () => stop.abort());
    process.on("message", () => process.send?.({ peakMemory: process.resourceUsage().maxRSS * 1024 }));
  }
  if (options.quirk.length > 0)
    output.progress(`This server misbehaves on purpose: ${options.quirk.join(", ")}`);
  if (testMode) output.progress("Test mode: requests choose how this server misbehaves.");
  output.result({ url: server.url, model: modelId }, `${server.url}  (model ${modelId}; Ctrl-C stops it)`);
  if (!signal.aborted) {
    await new Promise<void>((resolve) =>
      stop.signal.addEventListener("abort", () => resolve(), { once: true }),
    );
  }
  await server.close();
  process.exitCode = 0; // being stopped is how a server ends
  if (process.channel) process.disconnect();
}

/** The last part of a folder's path: the id under which a folder's model is offered. */
export function folderName(folder: string): string {
  return (
    folder
      .replace(/[\\/]+$/, "")
      .split(/[\\/]/)
      .at(-1) ?? folder
  );
}
