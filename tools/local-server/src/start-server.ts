import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { loadModel, type BackendName, type Model } from "@residua/engine";
import { backlog, connectionLimits } from "./connection-limits.ts";
import { createClients, onlyClient } from "./clients.ts";
import { createApp } from "./create-app.ts";
import { defaultRetention, type JobRetention } from "./acs/job-retention.ts";
import { JobStore } from "./acs/job-store.ts";
import { Jobs } from "./acs/jobs.ts";
import { hashApiKey, readKeyRecords, type KeyRecord } from "./key-records.ts";
import { Ledger, openLedger } from "./ledger.ts";
import { lockOwnFiles } from "./lock-own-files.ts";
import type { Profile, ProfileName } from "./profile.ts";
import { profiles } from "./profiles.ts";
import { createQuirks, type ChooseQuirks, type QuirkOptions } from "./quirks/choose-quirks.ts";
import { initZstd, serveModel } from "@residua/engine/api";
import { ServerError } from "./server-error.ts";
import { watchConnections } from "./watch-connections.ts";

export interface ServerOptions extends QuirkOptions {
  /** A Hugging Face folder, or a model that is loaded already (and stays the caller's to dispose of). */
  readonly model: string | Model;
  /** What the products of a folder's model run on; default wasm. */
  readonly backend?: BackendName;
  /** What the server accepts and how it answers; default "acs". */
  readonly profile?: ProfileName;
  /** The id that requests name; default "tiny". The model is served as `<id>-uncatalogued` too. */
  readonly modelId?: string;
  /** The checkpoint name in answers; default `residua/<modelId>`. */
  readonly checkpoint?: string;
  /** Default 0: a free port. */
  readonly port?: number;
  /** Default 127.0.0.1. Any host beyond loopback needs a key. */
  readonly host?: string;
  /** Asked for as `Authorization: Bearer <key>` on every route but /health; at profile vllm on those under /v1. */
  readonly apiKey?: string;
  /** More keys, hashed: a JSON file `{"keys": [record, …]}` or its records (`hashApiKey`). Each has its own queue. */
  readonly apiKeys?: string | readonly KeyRecord[];
  /** A file to which every hold, settlement and refund of tokens is written, and from which a restart goes on. */
  readonly ledger?: string;
  /** A folder in which jobs are kept, and from which a restart goes on; default: a temporary one. */
  readonly jobs?: string;
  /** How long ended jobs are kept with their results; default: 604 800 seconds (a week), 1000 jobs for each key. */
  readonly jobRetention?: Partial<JobRetention>;
  /** Close on SIGTERM and SIGINT; default false. */
  readonly closeOnSignals?: boolean;
  /** Milliseconds that closing waits for what is under way before it cuts the connections; default 30 000. */
  readonly drainTimeout?: number;
  /** Milliseconds of silence after which a stream sends a comment; default 15 000. */
  readonly keepAliveInterval?: number;
  /** Milliseconds in which a request must have come whole, or 408; default 120 000. */
  readonly requestTimeout?: number;
  /** Takes one line for each problem of the server's own; default: stderr. Prompts and keys are never in it. */
  readonly log?: (line: string) => void;
}

export interface LocalServer {
  /** The base URL, ending in /v1. */
  readonly url: string;
  /** Takes no new connection, answers what is under way, stops jobs, and frees the model that it loaded. */
  close(): Promise<void>;
}

/**
 * Starts the server and resolves once it answers. Throws ServerError (`port_in_use`, `api_key_required`,
 * `api_keys_invalid`, `ledger_invalid`, `jobs_folder_invalid`, `quirk_invalid`, `listen_failed`) or the engine's
 * ModelFolderError and EngineError `backend_unavailable`.
 */
export async function startServer(options: ServerOptions): Promise<LocalServer> {
  const { host = "127.0.0.1", apiKey, apiKeys } = options;
  if (!isLoopback(host) && !apiKey && apiKeys === undefined) {
    throw new ServerError(
      "api_key_required",
      `${host} can be reached from other machines: set apiKey or apiKeys to serve there, or leave host at 127.0.0.1`,
      { host },
    );
  }
  const { profile: profileName = "acs" } = options;
  const profile = await profiles[profileName]();
  const chooseQuirks = createQuirks(options, profileName, profile);
  if (profileName !== "acs" && (options.jobs !== undefined || options.jobRetention !== undefined)) {
    const message = `jobs: the profile ${profileName} has none; leave jobs and jobRetention out, or serve the profile acs`;
    throw new ServerError("jobs_folder_invalid", message, { profile: profileName });
  }
  const single = apiKey === undefined ? [] : [hashApiKey(apiKey, { id: onlyClient })];
  const taken = single.map(({ id }) => id);
  const records = apiKeys === undefined ? single : [...single, ...(await readKeyRecords(apiKeys, taken))];
  const unlock = await lockOwnFiles(options);
  try {
    return await serve(options, { profile, chooseQuirks, records, unlock });
  } catch (error) {
    unlock();
    throw error;
  }
}

/** What was checked before anything is loaded. */
interface Checked {
  readonly profile: Profile;
  readonly chooseQuirks: ChooseQuirks;
  readonly records: readonly KeyRecord[];
  /** Gives back the files that one server at a time uses. */
  readonly unlock: () => void;
}

async function serve(options: ServerOptions, checked: Checked): Promise<LocalServer> {
  const { profile, chooseQuirks, records, unlock } = checked;
  const { modelId = "tiny", port = 0, host = "127.0.0.1", log = console.error } = options;
  const ledger = options.ledger === undefined ? new Ledger() : openLedger(options.ledger);
  await initZstd();
  const { backend = "wasm" } = options;
  const model =
    typeof options.model === "string" ? await loadModel(options.model, { backend }) : options.model;
  const release = () => (typeof options.model === "string" ? model.dispose() : undefined);
  const served = serveModel(model, modelId, options.checkpoint ?? `residua/${modelId}`);
  const { keepAliveInterval = 15_000 } = options;
  const clients = createClients(records, ledger);
  const retention = { ...defaultRetention, ...options.jobRetention };
  const jobs = new Jobs({ served, clients, store: new JobStore(options.jobs), retention, log });
  const app = createApp(profile, {
    served,
    clients,
    jobs,
    keepAliveInterval,
    chooseQuirks,
    log,
  });
  const listener = getRequestListener(app.fetch);
  const server = createServer(
    connectionLimits(options.requestTimeout),
    (request, response) => void listener(request, response),
  );
  const connections = watchConnections(server);
  try {
    await jobs.resume();
    await listen(server, port, host);
  } catch (error) {
    await jobs.close();
    await release();
    throw error;
  }
  let closing: Promise<void> | null = null;
  const close = () => (closing ??= stop());
  const onSignal = () => void close();
  const signals = options.closeOnSignals === true ? (["SIGTERM", "SIGINT"] as const) : [];
  for (const signal of signals) process.once(signal, onSignal);
  const stop = async () => {
    for (const signal of signals) process.removeListener(signal, onSignal);
    await connections.drain(options.drainTimeout ?? 30_000);
    // The model goes after the last request.
    await jobs.close();
    await release();
    unlock();
  };
  const address = server.address() as AddressInfo;
  const name = address.family === "IPv6" ? `[${address.address}]` : address.address;
  return { url: `http://${name}:${address.port}/v1`, close };
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) => {
      const inUse = cause.code === "EADDRINUSE";
      const message = inUse
        ? `port ${port} on ${host} is in use; choose another, or 0 for a free one`
        : `cannot listen on ${host} port ${port}: ${cause.message}`;
      reject(new ServerError(inUse ? "port_in_use" : "listen_failed", message, { host, port }, { cause }));
    });
    server.listen({ port, host, backlog }, () => resolve());
  });
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);
}
