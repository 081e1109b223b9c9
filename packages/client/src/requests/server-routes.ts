import * as z from "zod";
import type { ClientCore } from "../client-core.ts";
import type { RequestOptions } from "../client-types.ts";
import type { ProfileName } from "../profiles.ts";
import { APIError } from "../transport/api-error.ts";
import { checkRequest } from "./check-request.ts";
import type { RequestOf } from "./endpoints/endpoint.ts";
import { vllmDetokenize } from "./endpoints/vllm-detokenize.ts";
import { vllmTokenize } from "./endpoints/vllm-tokenize.ts";
import { vllmTokenizeChat } from "./endpoints/vllm-tokenize-chat.ts";

const tokenization = z.looseObject({
  count: z.int().nonnegative(),
  tokens: z.array(z.int().nonnegative()),
  max_model_len: z.int().positive().nullish(),
  token_strs: z.array(z.string()).nullish(),
});
const detokenization = z.looseObject({ prompt: z.string() });
const version = z.looseObject({ version: z.string() });

/** The body of POST /tokenize of vLLM: a text (`prompt`) or a conversation (`messages`). */
export type TokenizeRequest = RequestOf<typeof vllmTokenize> | RequestOf<typeof vllmTokenizeChat>;
/** The body of POST /detokenize of vLLM. A server answers ids that its vocabulary lacks with an empty text. */
export type DetokenizeRequest = RequestOf<typeof vllmDetokenize>;
/** The tokens of a text or a conversation, and how many they are. */
export type Tokenization = z.output<typeof tokenization>;
/** The text of token ids, in `prompt`. */
export type Detokenization = z.output<typeof detokenization>;
/** What GET /version of vLLM says. */
export type ServerVersion = z.output<typeof version>;

/** How a server says it is. */
export interface Health {
  /** `ok`, `degraded` or `down`, or the server's own word. vLLM says nothing with status 200: that is `ok`. */
  status: string;
  /** The answer, where it is JSON: the hosted API tells its backends in it. */
  body: unknown;
}

interface HealthRoute {
  /** GET /health, asked once. An answer of 503 is a status, not an error; no answer at all throws APIConnectionError. */
  health(options?: RequestOptions): Promise<Health>;
}

interface VllmRoutes extends HealthRoute {
  /** POST /tokenize: a text, or a conversation as the model's chat template writes it. */
  tokenize(request: TokenizeRequest, options?: RequestOptions): Promise<Tokenization>;
  /** POST /detokenize. */
  detokenize(request: DetokenizeRequest, options?: RequestOptions): Promise<Detokenization>;
  /** GET /version. */
  version(options?: RequestOptions): Promise<ServerVersion>;
}

/** The routes of each kind of server beside completions and models, at the server's root. */
export interface ServerRoutes {
  acs: HealthRoute;
  vllm: VllmRoutes;
  octoai: unknown;
}

/** The routes that the client's kind of server has. */
export function makeServerRoutes(core: Pick<ClientCore, "profile" | "send">): Partial<VllmRoutes> {
  async function ask<T>(
    method: "GET" | "POST",
    path: string,
    schema: z.ZodType<T>,
    { body, options }: { body?: object; options: RequestOptions | undefined },
  ): Promise<T> {
    const call = { method, path, root: true, repeatable: true, ...(body && { body }) };
    const answer = await core.send(call, options);
    const parsed = schema.safeParse(answer.body);
    if (parsed.success) return parsed.data;
    throw answer.unexpected("unexpected_response", `the answer is not what ${method} ${path} gives`);
  }

  async function health(options: RequestOptions = {}): Promise<Health> {
    try {
      const { body } = await core.send(
        { method: "GET", path: "/health", root: true },
        { maxRetries: 0, ...options },
      );
      const { status } = Object(body) as { status?: unknown };
      return { status: typeof status === "string" ? status : "ok", body };
    } catch (error) {
      if (!(error instanceof APIError)) throw error;
      // vLLM's answer has no body, which no other route may do.
      if (error.status === 200 && (error.body ?? "").trim() === "") return { status: "ok", body: undefined };
      if (error.status === 503) return { status: "down", body: undefined };
      throw error;
    }
  }

  const routes: Record<ProfileName, Partial<VllmRoutes>> = {
    acs: { health },
    vllm: {
      health,
      async tokenize(request, options) {
        const body =
          "messages" in request
            ? checkRequest(request, vllmTokenizeChat)
            : checkRequest(request, vllmTokenize);
        return ask("POST", "/tokenize", tokenization, { body, options });
      },
      async detokenize(request, options) {
        return ask("POST", "/detokenize", detokenization, {
          body: checkRequest(request, vllmDetokenize),
          options,
        });
      },
      version: (options) => ask("GET", "/version", version, { options }),
    },
    octoai: {},
  };
  return routes[core.profile];
}
