import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What the server saw of one request. */
interface Seen {
  method: string;
  path: string;
  headers: IncomingMessage["headers"];
  body: string;
  /** Which socket carried it, counted from 0. */
  socket: number;
}

export type Script = (request: Seen, response: ServerResponse, nth: number) => void | Promise<void>;

export interface FaultServer {
  url: string;
  seen: Seen[];
  /** The sockets that are open now. */
  open(): Set<number>;
  /** How many were opened in all. */
  opened(): number;
  /** Keeps idle connections and tells no client for how long. */
  quietKeepAlive(): void;
  close(): Promise<void>;
}

/** A real HTTP server on a free loopback port that answers as the script says. */
export async function faultServer(script: Script): Promise<FaultServer> {
  const seen: Seen[] = [];
  const sockets = new Map<object, number>();
  let opened = 0;
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("error", () => undefined);
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      const body = Buffer.concat(parts).toString();
      const entry = { method, path: url, headers, body, socket: sockets.get(request.socket) ?? -1 };
      seen.push(entry);
      void script(entry, response, seen.length - 1);
    });
  });
  server.on("connection", (socket) => {
    sockets.set(socket, opened++);
    socket.on("error", () => undefined);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    seen,
    open: () => new Set(sockets.values()),
    opened: () => opened,
    quietKeepAlive: () => void (server.keepAliveTimeout = 0),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export function json(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
}

/** A well-formed completion of `count` choices. */
export function answer(count = 1): Record<string, unknown> {
  return {
    id: "cmpl-1",
    object: "text_completion",
    created: 1791780733,
    model: "meta-llama/Llama-3.1-8B",
    choices: Array.from({ length: count }, (_, index) => ({
      index,
      text: ` choice ${index}`,
      logprobs: null,
      finish_reason: "length",
    })),
    usage: { prompt_tokens: 4, completion_tokens: 2 * count, total_tokens: 4 + 2 * count },
    kv_transfer_params: null,
  };
}
