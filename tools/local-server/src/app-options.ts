import type { RequestQueue } from "./request-queue.ts";
import type { ServedModel } from "./served-model.ts";

export interface AppOptions {
  readonly served: readonly ServedModel[];
  readonly apiKey: string | undefined;
  readonly queue: RequestQueue;
  /** Milliseconds of silence after which a stream sends a comment. */
  readonly keepAliveInterval: number;
  /** Called with one line for each problem that is the server's own. */
  readonly log: (line: string) => void;
}

export interface AppEnv {
  Variables: { requestId: string };
}
