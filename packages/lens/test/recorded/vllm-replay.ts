import { type ClientOptions, createClient } from "@residua/client";
import { afterEach } from "vitest";
import { createLens, type CreateLensOptions } from "../../src/create-lens.ts";
import { type Asked, jsonServer, type JsonServer, type Reply } from "../json-server.ts";

const open: JsonServer[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

/** A vLLM server over real HTTP that answers as `reply` says; its catalogue is vLLM's, which says little of a model. */
export async function vllmAt(
  reply: (asked: Asked) => Reply | undefined,
  { models, ...options }: CreateLensOptions & Pick<ClientOptions<"vllm">, "models" | "tokenizer"> = {},
) {
  const { tokenizer, ...lensOptions } = options;
  const server = await jsonServer((asked) =>
    asked.path === "/v1/models"
      ? { body: { object: "list", data: [{ id: "smollm2", root: "SmolLM2", max_model_len: 1024 }] } }
      : reply(asked),
  );
  open.push(server);
  const client = createClient({
    baseURL: `${server.url}/v1`,
    profile: "vllm",
    backoff: { first: 1, longest: 1 },
    ...(models && { models }),
    ...(tokenizer && { tokenizer }),
  });
  const completions = () => server.asked.filter(({ path }) => path === "/v1/completions");
  return { lens: createLens(client, lensOptions), client, server, completions };
}

export const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => "taken",
    (error: Error & { code?: string }) => error.code ?? error.message,
  );
