import * as z from "zod";
import type { Call, ClientCore } from "../client-core.ts";
import type { RequestOptions } from "../client-types.ts";
import { withoutUndefined } from "../without-undefined.ts";
import { checkFields } from "./check-fields.ts";

/** A request to any route of the server. */
export interface RawRequest {
  /** Default GET. */
  method?: "GET" | "POST" | "DELETE";
  /** Under the base URL (which ends in `/v1`), such as `/completions`; query included. */
  path: string;
  /** The path is under the server's root instead, such as vLLM's `/metrics`. */
  root?: boolean;
  /** Sent as JSON, and checked by nothing. */
  body?: object;
  /** Sending it twice does what sending it once does: it may be tried again after any fault. Default: a GET is. */
  repeatable?: boolean;
  /** The body of the answer as a Uint8Array; left out, it must be JSON. */
  bytes?: boolean;
}

/** The answer of any route. */
export interface RawResponse {
  status: number;
  /** Names in lower case. */
  headers: Readonly<Record<string, string | undefined>>;
  requestID: string | undefined;
  /** Parsed JSON, or a Uint8Array with `bytes`. */
  body: unknown;
}

const schema = z.strictObject({
  method: z.literal(["GET", "POST", "DELETE"]).default("GET"),
  path: z.string().startsWith("/"),
  root: z.boolean().optional(),
  body: z.looseObject({}).optional(),
  repeatable: z.boolean().optional(),
  bytes: z.boolean().optional(),
});
const flag = { allowed: "true or false" };
const fields = {
  method: { allowed: "GET, POST or DELETE" },
  path: { allowed: "a path that begins with /, under the base URL" },
  root: flag,
  body: { allowed: "an object" },
  repeatable: flag,
  bytes: flag,
};

/** Requests past every check, over the client's connections, with its retries and its key. */
export function makeRawRequest(core: Pick<ClientCore, "send">) {
  return async function request(given: RawRequest, options?: RequestOptions): Promise<RawResponse> {
    const call = checkFields(given, { schema, fields, hints: {}, what: "request" });
    const { status, headers, requestID, body } = await core.send(withoutUndefined(call) as Call, options);
    return { status, headers, requestID, body };
  };
}
