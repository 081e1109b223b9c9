import { createClient, type ClientOptions } from "../../src/index.ts";
import type { ProfileName } from "../../src/profiles.ts";

interface Asked {
  method: string;
  path: string;
  body: unknown;
}

/** What a path answers: a value for a 200, or status and body. */
export type Answers = (asked: Asked) => { status?: number; body?: unknown; text?: string };

/** A client whose server is a function. */
export function scriptedClient<P extends ProfileName = "acs">(
  answers: Answers,
  options: ClientOptions<P> = {},
) {
  const asked: Asked[] = [];
  const client = createClient({
    baseURL: "http://server.test/v1",
    apiKey: "",
    maxRetries: 0,
    fetch: (input, { method = "GET", body = null } = {}) => {
      const { pathname } = new URL(input instanceof Request ? input.url : input);
      const one = {
        method,
        path: pathname,
        body: typeof body === "string" ? (JSON.parse(body) as unknown) : body,
      };
      asked.push(one);
      const { status = 200, body: answer, text = JSON.stringify(answer) } = answers(one);
      return Promise.resolve(new Response(text, { status, headers: { "content-type": "application/json" } }));
    },
    ...options,
  });
  const paths = () => asked.map(({ path }) => path);
  return { client, asked, paths };
}

/** A completion of one choice. */
export const completion = {
  id: "cmpl-1",
  object: "text_completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, text: " blue", logprobs: null, finish_reason: "length" }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
};

export const catalogue = (capabilities: object, more: object = {}) => ({
  object: "list",
  data: [{ id: "m", object: "model", capabilities, ...more }],
});
