import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { isDeepStrictEqual } from "node:util";
import { createClient } from "@residua/client";
import { afterEach } from "vitest";
import { createLens } from "../../src/create-lens.ts";

interface Exchange {
  path: string;
  body: unknown;
  status: number;
  answer: string;
}

/** fixtures/hook-exchanges.json: what a real server was asked and answered. */
export const recorded = JSON.parse(
  readFileSync(new URL("../../fixtures/hook-exchanges.json", import.meta.url), "utf8"),
) as { exchanges: Record<string, Exchange>; last: string };

export const exchangeOf = (name: string): Exchange => {
  const found = recorded.exchanges[name];
  if (found === undefined) throw new Error(`no exchange ${name}`);
  return found;
};

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

/** Hooks of a request are JSON in a text, in which spaces do not count; the salt is another each time. */
function opened(body: unknown): unknown {
  const asked = (body ?? {}) as { vllm_xargs?: { apply_hooks: string }; cache_salt?: string };
  const { vllm_xargs: xargs, cache_salt: _, ...rest } = asked;
  return xargs === undefined ? body : { ...rest, apply_hooks: JSON.parse(xargs.apply_hooks) as unknown };
}

/** A lens at a server that answers the recorded requests, body and all, and no others. */
export async function lensOf(...names: string[]) {
  const seen: { path: string; body: unknown }[] = [];
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (part: Buffer) => (text += part.toString()));
    request.on("end", () => {
      const path = request.url ?? "";
      response.setHeader("content-type", "application/json");
      if (path === "/v1/models") return response.end('{"object":"list","data":[{"id":"smollm2"}]}');
      const body: unknown = text === "" ? null : JSON.parse(text);
      seen.push({ path, body });
      const found = names
        .map(exchangeOf)
        .find((one) => one.path === path && isDeepStrictEqual(opened(one.body), opened(body)));
      response.statusCode = found?.status ?? 418;
      return response.end(found?.answer ?? '{"error":{"message":"not recorded"}}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const client = createClient({ baseURL: `http://127.0.0.1:${port}/v1`, profile: "vllm", maxRetries: 0 });
  open.push(async () => {
    await client.close();
    await new Promise((resolve) => server.close(resolve));
  });
  return { lens: createLens(client), client, seen };
}
