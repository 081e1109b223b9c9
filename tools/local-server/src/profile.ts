import type { Hono } from "hono";
import type { ApiError } from "@residua/engine/api";
import type { AppEnv, AppOptions } from "./app-options.ts";

/** What one kind of server accepts and how it answers. */
export interface Profile {
  /** Its routes, those that need a key behind `requireKey`. */
  addRoutes(app: Hono<AppEnv>, options: AppOptions): void;
  /** The body of an error answer. */
  errorBody(error: ApiError, requestId: string): object;
}

export const profileNames = ["acs", "vllm", "octoai"] as const;

export type ProfileName = (typeof profileNames)[number];
