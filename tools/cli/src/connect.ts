import { createClient, type Client, type ClientOptions } from "@residua/client";
import { createLens, type Lens } from "@residua/lens";
import { startEmbeddedServer } from "./embedded-server.ts";
import type { Output } from "./output.ts";

/** Which server a command talks to: one that is named, or the embedded one. */
export interface ServerOptions {
  /** Base URL ending in `/v1`; without it (and without ACS_API_BASE) the command starts the embedded server. */
  baseUrl?: string | undefined;
  /** Model id on a named server; for the embedded server `tiny` or a Hugging Face folder. */
  model?: string | undefined;
  /** What kind of server it is. Default: acs. */
  profile?: "acs" | "vllm" | undefined;
}

/** An open connection: the client, the lens on it, and the id of the model to ask. */
export interface Connection {
  readonly client: Client;
  readonly lens: Lens;
  readonly model: string;
  readonly embedded: boolean;
  /** Closes the client and stops the embedded server; peak memory of the latter in bytes, where known. */
  close(): Promise<{ serverPeakMemory: number | undefined }>;
}

/** Which server was asked, for a record: its address without anything secret, or the embedded one. */
export function serverSettings({ baseUrl, model, profile = "acs" }: ServerOptions): Record<string, string> {
  const address = baseUrl ?? process.env["ACS_API_BASE"];
  const server = !address ? "embedded" : URL.canParse(address) ? new URL(address).origin : "named";
  return { server, profile, ...(model !== undefined && { model }) };
}

/** Opens a connection by flags, then environment (`ACS_API_BASE`, `ACS_API_KEY`), else to an embedded server. */
export async function connect(
  options: ServerOptions,
  { output, signal }: { output: Output; signal: AbortSignal },
): Promise<Connection> {
  const { profile = "acs" } = options;
  // Commands ask what the profiles share, so one type serves for them.
  const open = (to: ClientOptions) => createClient({ ...to, profile }) as Client;
  const baseURL = options.baseUrl ?? process.env["ACS_API_BASE"];
  if (baseURL) {
    const client = open({ baseURL });
    const model = options.model ?? (await firstModel(client, signal));
    const close = async () => {
      await client.close();
      return { serverPeakMemory: undefined };
    };
    return { client, lens: createLens(client), model, embedded: false, close };
  }
  const server = await startEmbeddedServer({ model: options.model ?? "tiny", profile, signal });
  output.progress(`embedded server: ${server.url}, model ${server.model}`);
  const client = open({ baseURL: server.url, apiKey: "" });
  const close = async () => {
    await client.close();
    const { peakMemory } = await server.close();
    return { serverPeakMemory: peakMemory };
  };
  return { client, lens: createLens(client), model: server.model, embedded: true, close };
}

async function firstModel(client: Client, signal: AbortSignal): Promise<string> {
  const [model] = await client.models.list({ signal });
  if (!model) throw new Error(`${client.baseURL} lists no model: name one with --model`);
  return model.id;
}

/** Opens a connection, hands it to `use`, and closes it whatever happens. */
export async function withConnection<T>(
  options: ServerOptions,
  context: { output: Output; signal: AbortSignal },
  use: (connection: Connection) => Promise<T>,
): Promise<T> {
  const connection = await connect(options, context);
  try {
    return await use(connection);
  } finally {
    await connection.close();
  }
}
