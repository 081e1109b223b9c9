import type { Generation } from "@residua/engine";
import type { Context } from "hono";
import type { AppEnv, AppOptions } from "../app-options.ts";
import { beginCompletion } from "../begin-completion.ts";
import { eventStream } from "../event-stream.ts";
import { explainError } from "../explain-error.ts";
import { sendJson } from "../send-json.ts";
import type { ServedModel } from "../served-model.ts";
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
  const run = beginCompletion(prepared, {
    served,
    client: context.get("client"),
    // First come, first served, whatever `priority` says: vLLM's default policy.
    priority: 0,
    quirks: context.get("quirks"),
  });
  const { signal } = context.req.raw;
  const { generate, closed } = tieToConnection(run, signal);
  const watch = state.metrics.watch(prepared);
  if (stream === null) {
    const generations = await generate({ listeners: () => ({ onToken: watch.token }) }).catch(watch.failed);
    return sendJson(context, textBody(whole(generations)));
  }
  context.header("content-type", "text/event-stream; charset=utf-8");
  context.header("cache-control", "no-cache");
  context.header("x-accel-buffering", "no");
  const body = eventStream({
    keepAliveInterval: options.keepAliveInterval,
    onCancel: closed,
    write: async (send) => {
      const sendAll = (events: readonly object[]) => {
        for (const event of events) send(JSON.stringify(event));
      };
      try {
        const generations = await generate({
          listeners: (p) => ({
            onPrompt: (logprobs) => stream.prompt(p, logprobs),
            onToken: (token) => {
              watch.token(token);
              sendAll(stream.token(p, token));
            },
          }),
        }).catch(watch.failed);
        sendAll(stream.end(generations));
      } catch (error) {
        if (signal.aborted) return;
        const problem = explainError(error, options.log, context.get("requestId"));
        send(JSON.stringify(vllmErrorBody(problem)));
      }
      send("[DONE]");
    },
  });
  return context.body(body);
}

/** What the id of an answer ends in: the id that the client gave, by header before body, else a random one. */
export function idStem(context: Context<AppEnv>, asked: string | null | undefined): string {
  const header = context.req.header("x-request-id");
  if (header !== undefined && header === context.get("requestId")) return header;
  return asked || crypto.randomUUID().replaceAll("-", "").slice(0, 16);
}
