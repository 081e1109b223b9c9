import { ExplorerError, startExplorer } from "@residua/explorer";
import { withConnection, type ServerOptions } from "./connect.ts";
import type { CommandContext } from "./make-command.ts";
import { UsageError } from "./usage-error.ts";

/** Options of `residua explore`. */
export interface ExploreOptions extends Omit<ServerOptions, "baseUrl"> {
  run?: string;
  server?: string;
  port: number;
}

/** `residua explore`: serves a local page for a run and a model, until it is told to stop. */
export async function explore(options: ExploreOptions, context: CommandContext): Promise<void> {
  const { output, signal } = context;
  const { run, server, port, ...rest } = options;
  if (run === undefined && server === undefined) {
    throw new UsageError(
      "give the folder of a run, such as runs/first-run (npm start makes it), or --server URL, or both",
    );
  }
  await withConnection({ ...rest, baseUrl: server }, context, async ({ client, lens, model, embedded }) => {
    const explorer = await startExplorer({
      lens,
      model,
      port,
      serverName: embedded ? "embedded" : shownAddress(client.baseURL),
      ...(run !== undefined && { run }),
    }).catch((error: unknown) => {
      throw error instanceof ExplorerError ? new UsageError(error.message) : error;
    });
    try {
      output.result({ url: explorer.url, model, run: run ?? null }, `${explorer.url}  (Ctrl-C stops it)`);
      await untilAborted(signal);
    } finally {
      await explorer.close();
    }
  });
  process.exitCode = 0; // being stopped is how it ends
}

function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

/** Without a name and password that an address may carry. */
function shownAddress(address: string): string {
  const url = new URL(address);
  return `${url.origin}${url.pathname}`;
}
