import type { Generation } from "@residua/engine";
import type { Context } from "hono";
import type { AppEnv, AppOptions } from "../app-options.ts";
import { beginCompletion } from "../begin-completion.ts";
import { sendJson } from "../send-json.ts";
import type { ServedModel } from "@residua/engine/api";
import { streamCompletion } from "../stream-completion.ts";
import { textBody } from "../text-body.ts";
import { tieToConnection } from "../tie-to-connection.ts";
import type { PreparedRequest } from "./prepare-request.ts";
import type { StreamMaker } from "./stream-maker.ts";
import { vllmErrorBody } from "./vllm-error.ts";
import type { VllmState } from "./vllm-state.ts";

interface Answer {
  readonly served: ServedModel;
  readonly prepared: PreparedRequest;
  /** The JSON of the whole answer, in pieces. */
  readonly whole: (generations: readonly Generation[]) => Iterator<string>;
  /** The events instead, for a stream. */
  readonly stream: StreamMaker | null;
}

/** Runs a request that passed every check and answers it, whole or as events. */
export async function answerGeneration(
  context: Context<AppEnv>,
  options: AppOptions,
  state: VllmState,
  { served, prepared, whole, stream }: Answer,
): Promise<Response> {
  const begun = beginCompletion(prepared, {
    served,
    client: context.get("client"),
    // First come, first served, whatever `priority` says: vLLM's default policy.
    priority: 0,
    quirks: context.get("quirks"),
  });
  const run = tieToConnection(begun, context.req.raw.signal);
  const watch = state.metrics.watch(prepared);
  if (stream === null) {
    const generations = await run
      .generate({ listeners: () => ({ onToken: watch.token }) })
      .catch(watch.failed);
    return sendJson(context, textBody(whole(generations)));
  }
  const { keepAliveInterval, log } = options;
  return streamCompletion(context, {
    keepAliveInterval,
    log,
    run: { ...run, generate: (given) => run.generate(given).catch(watch.failed) },
    chunks: {
      prompt: (p, logprobs) => stream.prompt(p, logprobs),
      token: (p, generated) => {
        watch.token(generated);
        return stream.token(p, generated);
      },
    },
    last: (generations) => stream.end(generations),
    errorBody: vllmErrorBody,
  });
}

/** What the id of an answer ends in: the id that the client gave, by header before body, else a random one. */
export function idStem(context: Context<AppEnv>, asked: string | null | undefined): string {
  const header = context.req.header("x-request-id");
  if (header !== undefined && header === context.get("requestId")) return header;
  return asked || crypto.randomUUID().replaceAll("-", "").slice(0, 16);
}
