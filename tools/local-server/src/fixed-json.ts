import type { Context } from "hono";
import type { AppEnv } from "./app-options.ts";
import { sendJson } from "./send-json.ts";

/** A route that always answers the same. */
export function fixedJson(body: object): (context: Context<AppEnv>) => Response {
  const text = JSON.stringify(body);
  return (context) => sendJson(context, text);
}
