import { APIError } from "@residua/client";
import * as z from "zod";
import type { LensCore } from "../lens-core.ts";
import type { LensOptions } from "../lens-types.ts";
import type { LensProfile } from "../profiles/lens-profile.ts";
import { checkLensOptions } from "../requests/check-options.ts";
import { checkHooks, type HookBlob } from "./hook-blob.ts";
import { HookError } from "./hook-error.ts";
import { type HookResult, readCollected } from "./hook-results.ts";
import { hooksOf } from "./hooks-of.ts";

/**
 * Relays hooks that were made elsewhere. A hook is code that runs on the server, with the server's rights; a registered one runs
 * in every request of every user until it is cleared. Each method throws HookError `hooks_unavailable` where the server has none,
 * `hook_failed` where it failed at them, and what the client throws.
 */
export interface Hooks {
  /** Adds hooks to those that are registered; how many there were added. Throws InvalidRequestError. */
  register(hooks: readonly HookBlob[], options?: LensOptions): Promise<number>;
  /** What the registered hooks saved since results were last cleared, request by request. Nothing is cleared by it. */
  collect(options?: LensOptions): Promise<HookResult[]>;
  /** Removes every registered hook, of other users too, and all results. */
  clear(options?: LensOptions): Promise<void>;
  /** Removes all results; the hooks go on. */
  clearResults(options?: LensOptions): Promise<void>;
}

type Route = keyof NonNullable<LensProfile["hooks"]>["routes"];

export function makeHooks({ client, profile }: LensCore): Hooks {
  async function ask(route: Route, options: LensOptions, body?: object): Promise<unknown> {
    checkLensOptions(options);
    const { routes } = hooksOf(profile);
    // Registering twice would run a hook twice.
    const repeatable = route !== "register";
    try {
      const answer = await client.request(
        { method: "POST", path: routes[route], repeatable, ...(body && { body }) },
        options,
      );
      return answer.body;
    } catch (error) {
      throw hookFailure(error, routes[route]);
    }
  }

  return Object.freeze<Hooks>({
    async register(hooks, options = {}) {
      hooksOf(profile);
      checkHooks(hooks);
      const { count } = read(z.looseObject({ count: z.int() }), await ask("register", options, { hooks }));
      return count;
    },
    async collect(options = {}) {
      const { results } = read(z.looseObject({ results: z.unknown() }), await ask("collect", options));
      return readCollected(results);
    },
    clear: async (options = {}) => void (await ask("clear", options)),
    clearResults: async (options = {}) => void (await ask("clearResults", options)),
  });
}

function hookFailure(error: unknown, path: string): unknown {
  if (!(error instanceof APIError)) return error;
  if (error.status === 404 || error.status === 405) {
    const message = `the server has no route ${path}: hooks need vllm-lens 1.2 or later, not switched off (VLLM_LENS_DISABLE)`;
    return new HookError("hooks_unavailable", message, error);
  }
  if (error.status !== 500) return error;
  const causes =
    "a layer that the model does not have; a function that another Python version packed, or that needs modules the server lacks; a pickle that is cut";
  return new HookError("hook_failed", `${error.message}. Known causes: ${causes}`, error);
}

function read<T>(schema: z.ZodType<T>, body: unknown): T {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  throw new HookError("hook_result_form", `the answer of a route for hooks is not of the known form`);
}
