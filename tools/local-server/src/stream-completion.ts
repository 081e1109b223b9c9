import type { Generation } from "@residua/engine";
import type { Context } from "hono";
import { type ApiError, explainError } from "@residua/engine/api";
import type { AppEnv, AppOptions } from "./app-options.ts";
import type { ChunkMaker } from "./chunk-maker.ts";
import { eventStream } from "./event-stream.ts";
import type { TiedRun } from "./tie-to-connection.ts";

/** One event or several, in their order; null for none. */
type Chunks = object | readonly object[] | null;

/** Makes the events of a stream from the tokens as they come. */
export interface StreamedChunks extends Pick<ChunkMaker, "prompt"> {
  /** What this token completes. */
  token(...args: Parameters<ChunkMaker["token"]>): Chunks;
}

interface StreamOptions extends Pick<AppOptions, "keepAliveInterval" | "log"> {
  readonly run: TiedRun;
  readonly chunks: StreamedChunks;
  /** What comes after the last token; null for nothing. */
  readonly last?: (generations: readonly Generation[]) => Chunks;
  /** What an error is told as, before [DONE]. */
  readonly errorBody: (error: ApiError, requestId: string) => object;
}

/** Answers with the chunks of a run as server-sent events, then [DONE]. */
export function streamCompletion(context: Context<AppEnv>, options: StreamOptions): Response {
  const { keepAliveInterval, log, run, chunks, last, errorBody } = options;
  const { signal } = context.req.raw;
  const requestId = context.get("requestId");
  context.header("content-type", "text/event-stream; charset=utf-8");
  context.header("cache-control", "no-cache");
  context.header("x-accel-buffering", "no");
  let left = false;
  const body = eventStream({
    keepAliveInterval,
    onCancel: () => {
      left = true;
      run.closed();
    },
    write: async (send) => {
      const sendChunks = (chunks: Chunks) => {
        for (const chunk of [chunks ?? []].flat()) send(JSON.stringify(chunk));
      };
      try {
        const generations = await run.generate({
          listeners: (p) => ({
            onPrompt: (logprobs) => chunks.prompt(p, logprobs),
            onToken: (token) => sendChunks(chunks.token(p, token)),
          }),
        });
        sendChunks(last?.(generations) ?? null);
      } catch (error) {
        // Nobody reads it, and that the reader left is no problem of the server's.
        if (signal.aborted || left) return;
        sendChunks(errorBody(explainError(error, log, requestId), requestId));
      }
      send("[DONE]");
    },
  });
  return context.body(body);
}
