import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Client, createClient } from "@residua/client";
import { smollm2 } from "../replay-server.ts";
import { fixture } from "./codec-support.ts";

/** A capture that a real server kept behind a handle, and what its route gave. */
export const recorded = JSON.parse(fixture("codec/binary.json").toString()) as {
  answer: string;
  path: string;
  headers: Record<string, string>;
  body: string;
  expired: string;
  sha256: string;
};

export interface HandleServer {
  client: Client<"vllm">;
  /** Bodies of the requests that came, and the paths of the handles that were fetched. */
  bodies: { vllm_xargs?: Record<string, unknown> }[];
  fetched: string[];
  close(): Promise<void>;
}

/** What the route of the handles answers, where it is not what was recorded. */
export interface OtherRoute {
  status?: number;
  headers?: Record<string, string | undefined>;
  body?: Uint8Array;
}

/** Answers a completion request with the recording, and the route of its handle too. */
export async function handleServer({
  status = 200,
  headers = {},
  body,
}: OtherRoute = {}): Promise<HandleServer> {
  const bodies: HandleServer["bodies"] = [];
  const fetched: string[] = [];
  const bytes = body ?? Buffer.from(recorded.body, "base64");
  async function answer(request: IncomingMessage, response: ServerResponse) {
    let text = "";
    for await (const part of request) text += String(part);
    if (request.method === "POST") bodies.push(JSON.parse(text) as HandleServer["bodies"][number]);
    if (request.url?.startsWith("/v1/activations/")) {
      fetched.push(request.url);
      const told = { ...recorded.headers, "content-length": String(bytes.byteLength), ...headers };
      const kept = Object.entries(told).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, value]],
      );
      if (status === 200) return response.writeHead(200, kept.flat()).end(bytes);
      return response.writeHead(status, { "content-type": "application/json" }).end(recorded.expired);
    }
    const models = JSON.stringify({ object: "list", data: [{ ...smollm2, object: "model" }] });
    return response
      .writeHead(200, { "content-type": "application/json" })
      .end(request.method === "POST" ? recorded.answer : models);
  }
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const client = createClient({ baseURL: `http://127.0.0.1:${port}/v1`, profile: "vllm", maxRetries: 0 });
  return {
    client,
    bodies,
    fetched,
    async close() {
      await client.close();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}
