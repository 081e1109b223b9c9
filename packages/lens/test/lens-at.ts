import type { CompletionRequest } from "@residua/client";
import { afterEach } from "vitest";
import { createLens } from "../src/create-lens.ts";
import { replayServer, type ReplayServer, tiny } from "./replay-server.ts";

const open: ReplayServer[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

/** A lens at a server that answers each request with what `reply` returns; closed after the test. */
export async function lensAt(reply: (request: CompletionRequest) => unknown, models: object[] = [tiny]) {
  const server = await replayServer(models, reply);
  open.push(server);
  return { server, lens: createLens(server.client) };
}

export async function collect<O>(run: AsyncIterable<O>): Promise<O[]> {
  const outcomes: O[] = [];
  for await (const outcome of run) outcomes.push(outcome);
  return outcomes;
}
