import type { GenerationRequest } from "../generation-request.ts";

/** A request that passed every check, ready for the engine. */
export interface PreparedCompletion {
  readonly prompts: readonly { readonly tokens: readonly number[]; readonly text: string | null }[];
  readonly n: number;
  readonly generations: readonly GenerationRequest[];
}
