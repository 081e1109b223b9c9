import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** Answers every completion request with one body. */
export interface CaptureServer {
  url: string;
  close(): void;
}

export async function captureServer(
  body: Uint8Array,
  [layers, , hiddenSize]: readonly [number, number, number],
): Promise<CaptureServer> {
  const capabilities = { max_model_len: 8192, n_layers: layers, hidden_size: hiddenSize };
  const models = JSON.stringify({ object: "list", data: [{ id: "m", object: "model", capabilities }] });
  const server = createServer((request, response) => {
    request.resume();
    const answer = request.method === "POST" ? body : Buffer.from(models);
    response.writeHead(200, { "content-type": "application/json", "content-length": answer.byteLength });
    response.end(answer);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
