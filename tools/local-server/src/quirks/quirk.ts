import type { Generation, GenerationRequest, Model } from "@residua/engine";
import type { Context } from "hono";
import type { ApiError } from "@residua/engine/api";
import type { AppEnv } from "../app-options.ts";
import type { ProfileName } from "../profile.ts";

export type Generate = (requests: readonly GenerationRequest[]) => Promise<Generation[]>;

/** Where a quirk acts on what the engine is asked and on what it gives. */
interface QuirkScene {
  readonly model: Model;
  /** False only for a quirk of `everyRequest`: this request meets what the quirk left behind. */
  readonly chosen: boolean;
}

/** What a quirk does at one server; what it keeps between requests lives here. */
export interface QuirkActions {
  /** Around the engine: `next` runs the requests. */
  generate?(requests: readonly GenerationRequest[], next: Generate, scene: QuirkScene): Promise<Generation[]>;
  /** `generate` is called for each request, not only for those that the quirk was chosen for. */
  readonly everyRequest?: boolean;
  /** Answers in the place of the routes. */
  instead?(context: Context<AppEnv>): Response | null;
  /** Changes an answer. */
  answer?(response: Response, context: Context<AppEnv>): Response | Promise<Response>;
}

/** What the actions of a quirk are made with. */
export interface QuirkSetting {
  /** The body of an error, in the form of the server's profile. */
  readonly errorBody: (error: ApiError, requestId: string) => object;
}

/**
 * The check that ends a request of which the misbehaviour shows, or that refuses such a request beforehand;
 * with `by: null` no check of a request sees it, and the note says what does (see also `foundBySelfTest`).
 */
export type Caught =
  | { readonly by: "@residua/client" | "@residua/lens"; readonly code: string; readonly note?: string }
  | { readonly by: null; readonly note: string };

/** A documented misbehaviour of a real server. */
export interface Quirk<Name extends string = string> {
  readonly name: Name;
  /** What goes wrong. */
  readonly wrong: string;
  /** Which server, version or report shows it. */
  readonly seen: string;
  readonly caught: Caught;
  /** Default: all of them. */
  readonly profiles?: readonly ProfileName[];
  /** Left out: the checks of requests ask for the name. */
  readonly act?: (setting: QuirkSetting) => QuirkActions;
}

/** The profiles that capture and steer. */
export const lensProfiles: readonly ProfileName[] = ["acs", "vllm"];

/** Keeps the name's own type. */
export function defineQuirk<const Name extends string>(quirk: Quirk<Name>): Quirk<Name> {
  return quirk;
}
