import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import type { Explorer } from "./explorer.ts";
import { ExplorerError } from "./explorer-error.ts";
import { openRun } from "./run/open-run.ts";
import { createApp } from "./server/create-app.ts";
import { type ExplorerLens, modelWork } from "./work/model-work.ts";

export interface ExplorerOptions {
  /** Folder of a run; without it there is nothing to score with, and the page says so. */
  readonly run?: string;
  readonly lens: ExplorerLens;
  /** The id that requests name. */
  readonly model: string;
  /** What the page calls the server; never a key. */
  readonly serverName: string;
  /** Default 0: a free one. */
  readonly port?: number;
  /** Takes the stack of what fails in the explorer itself; default: stderr. */
  readonly log?: (text: string) => void;
}

/** A running explorer. */
export interface RunningExplorer {
  /** The whole address, with the secret that its pages need. */
  readonly url: string;
  readonly explorer: Explorer;
  /** Ends what is under way, and resolves when no connection is left. */
  close(): Promise<void>;
}

/**
 * Serves the explorer's pages on 127.0.0.1 and nowhere else. Throws ExplorerError `folder_unreadable`, `nothing_to_explore`,
 * `listen_failed`.
 */
export async function startExplorer(options: ExplorerOptions): Promise<RunningExplorer> {
  const { lens, model, serverName, port = 0, log = console.error } = options;
  const run = options.run === undefined ? null : await openRun(options.run);
  const explorer: Explorer = { run, work: modelWork(lens, model), serverName };
  const secret = randomBytes(18).toString("base64url");
  const closing = new AbortController();
  const app = createApp(explorer, {
    secret,
    port: () => (server.address() as AddressInfo).port,
    closing: closing.signal,
    log,
  });
  const listener = getRequestListener(app.fetch, { overrideGlobalObjects: false });
  const server = createServer((request, response) => void listener(request, response));
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) => {
      const why = cause.code === "EADDRINUSE" ? "is in use" : `cannot be listened on (${cause.message})`;
      reject(
        new ExplorerError("listen_failed", `Port ${port} ${why}: choose another, or 0 for a free one.`, {
          port,
        }),
      );
    });
    server.listen({ host: "127.0.0.1", port }, resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/${secret}/`,
    explorer,
    async close() {
      closing.abort();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}
