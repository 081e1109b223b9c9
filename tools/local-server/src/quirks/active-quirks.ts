import type { Generation, GenerationRequest, Model } from "@residua/engine";
import type { Context } from "hono";
import type { AppEnv } from "../app-options.ts";
import type { Generate } from "./quirk.ts";
import type { QuirkName } from "./quirk-list.ts";

/** The misbehaviours that a request meets. */
export interface ActiveQuirks {
  /** For the checks that let pass what they would refuse. */
  has(name: QuirkName): boolean;
  /** Runs the engine's requests as the quirks have it. */
  generate(requests: readonly GenerationRequest[], next: Generate, model: Model): Promise<Generation[]>;
  /** An answer that comes in the place of the routes'. */
  instead(context: Context<AppEnv>): Response | null;
  /** The answer as the quirks leave it. */
  answer(response: Response, context: Context<AppEnv>): Promise<Response>;
}

/** A server that behaves. */
export const noQuirks: ActiveQuirks = {
  has: () => false,
  generate: (requests, next) => next(requests),
  instead: () => null,
  answer: (response) => Promise.resolve(response),
};
