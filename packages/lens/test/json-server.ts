import { Buffer } from "node:buffer";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface Asked {
  method: string;
  path: string;
  body: unknown;
}

export interface Reply {
  status?: number;
  /** Text and bytes are sent as they are. */
  body?: unknown;
  /** The connection is closed behind the answer, unannounced. */
  hangUp?: boolean;
}

export interface JsonServer {
  url: string;
  asked: Asked[];
  close(): Promise<void>;
}

/** A real HTTP server that answers each request with what `reply` gives; undefined is a 404. */
export async function jsonServer(reply: (asked: Asked) => Reply | undefined): Promise<JsonServer> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const text = Buffer.concat(parts).toString();
      const one = {
        method: request.method ?? "",
        path: request.url ?? "",
        body: text === "" ? undefined : (JSON.parse(text) as unknown),
      };
      asked.push(one);
      const { status = 200, body, hangUp } = reply(one) ?? { status: 404, body: { detail: "Not Found" } };
      response.writeHead(status, { "content-type": "application/json" });
      const plain = typeof body === "string" || body instanceof Uint8Array;
      response.end(plain ? body : JSON.stringify(body), () => {
        if (hangUp) request.socket.destroy();
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
