import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@residua/client";
import { loadModel, type Model } from "@residua/engine";
import { createLens, type Lens } from "@residua/lens";
import { type LocalServer, startServer } from "@residua/local-server";
import { modelFolder } from "@residua/tiny-model";
import { makeRun } from "./make-run.ts";

export const key = "key-of-the-explorer";

/** The real server with the tiny model, a client that carries its key, and a real run. */
export interface World {
  readonly model: Model;
  readonly server: LocalServer;
  readonly lens: Lens;
  readonly run: string;
  close(): Promise<void>;
}

export async function makeWorld(): Promise<World> {
  const model = await loadModel(modelFolder);
  const server = await startServer({ model, apiKey: key, log: () => undefined });
  const client = createClient({ baseURL: server.url, apiKey: key });
  const lens = createLens(client);
  const run = await mkdtemp(join(tmpdir(), "residua-explorer-"));
  await makeRun(lens, run);
  return {
    model,
    server,
    lens,
    run,
    async close() {
      await client.close();
      await server.close();
      await model.dispose();
      await rm(run, { recursive: true, force: true });
    },
  };
}
