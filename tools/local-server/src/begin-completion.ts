import type { Generation, GenerationRequest } from "@residua/engine";
import type { Client } from "./clients.ts";
import type { PreparedCompletion, ServedModel } from "@residua/engine/api";
import type { ActiveQuirks } from "./quirks/active-quirks.ts";
import type { Generate } from "./quirks/quirk.ts";

interface GenerateOptions {
  /** Those of the prompt with this index. */
  readonly listeners?: (p: number) => Pick<GenerationRequest, "onPrompt" | "onToken">;
  readonly onTurn?: () => void;
  /** Keeps the result, before the hold is settled: a crash in between must not make it paid and lost. */
  readonly onResult?: (generations: Generation[]) => Promise<void>;
}

interface BeginOptions {
  readonly served: ServedModel;
  /** Whose hold and queue it takes. */
  readonly client: Client;
  readonly priority: number;
  readonly quirks: ActiveQuirks;
}

/** A completion that has its hold and its place in the queue. */
export interface CompletionRun {
  /** Waits for its turn and generates, once; then the hold is settled, however it ends. */
  generate(options?: GenerateOptions): Promise<Generation[]>;
  /** Ends it, or its waiting, within one pass: `generate` rejects with the reason. What was written is paid. */
  stop(reason: Error): void;
  /** The same, and the whole hold is given back: it will run again. */
  suspend(reason: Error): void;
}

/** Throws ApiError 429 `budget_exceeded` or `queue_full`. `generate` is to be called in any case. */
export function beginCompletion(
  prepared: PreparedCompletion,
  { served, client, priority, quirks }: BeginOptions,
): CompletionRun {
  const promptTokens = prepared.prompts.map(({ tokens }) => tokens.length);
  const most = prepared.generations.reduce(
    (sum, { n = 1, bestOf = n, maxTokens }) => sum + bestOf * maxTokens,
    0,
  );
  const hold = client.hold(promptTokens.reduce((sum, tokens) => sum + tokens, most));
  // Ends the other prompts too when one of them fails.
  const end = new AbortController();
  const enter = () => {
    try {
      return client.queue.enter(priority, end.signal);
    } catch (error) {
      hold.settle(0);
      throw error;
    }
  };
  const place = enter();
  // It may be stopped before anybody waits for its turn.
  place.turn.catch(() => undefined);
  let written = 0;
  let paid = true;
  let generated = false;
  return {
    stop: (reason) => end.abort(reason),
    suspend: (reason) => {
      if (!generated) paid = false;
      end.abort(reason);
    },
    generate: async ({ listeners, onTurn, onResult } = {}) => {
      try {
        await place.turn;
        onTurn?.();
        const requests = prepared.generations.map((generation, p): GenerationRequest => {
          const { onPrompt, onToken } = listeners?.(p) ?? {};
          return {
            ...generation,
            // Whether a prompt was run before shows in the time it takes: that is nobody else's to know.
            cacheSalt: JSON.stringify([client.id, generation.cacheSalt ?? null]),
            onPrompt: (logprobs) => {
              written += promptTokens[p]!;
              onPrompt?.(logprobs);
            },
            onToken: (token) => {
              written++;
              onToken?.(token);
            },
            signal: end.signal,
          };
        });
        const run: Generate = (asked) => served.model.generate(asked);
        const generations = await quirks.generate(requests, run, served.model);
        generated = true;
        await onResult?.(generations);
        return generations;
      } finally {
        end.abort(new Error("the request ended"));
        place.leave();
        hold.settle(paid ? written : 0);
      }
    },
  };
}
