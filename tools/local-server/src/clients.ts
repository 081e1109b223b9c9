import { timingSafeEqual } from "node:crypto";
import { ApiError } from "./api-error.ts";
import { keyDigest, type KeyRecord } from "./key-records.ts";
import type { Hold, Ledger } from "./ledger.ts";
import { RequestQueue } from "./request-queue.ts";

/** Who asks: a key, or everybody where the server has none. */
export interface Client {
  readonly id: string;
  readonly queue: RequestQueue;
  /** Sets tokens aside. Throws ApiError 429 `budget_exceeded`. */
  hold(tokens: number): Hold;
}

/** All who may ask. */
export interface Clients {
  readonly needsKey: boolean;
  /** Whose Authorization header this is. Throws ApiError 401. */
  authenticate(header: string | undefined): Client;
  /** The client of an id; undefined for a disabled key too. */
  find(id: string): Client | undefined;
}

/** The id of who asks where there are no keys. */
export const onlyClient = "default";

/** Without records everybody is one client. */
export function createClients(records: readonly KeyRecord[], ledger: Ledger): Clients {
  const open = (id: string, budget?: number): Client => ({
    id,
    queue: new RequestQueue(),
    hold: (tokens) => ledger.hold(id, tokens, budget),
  });
  if (records.length === 0) {
    const everybody = open(onlyClient);
    return {
      needsKey: false,
      authenticate: () => everybody,
      find: (id) => (id === everybody.id ? everybody : undefined),
    };
  }
  const keys = records.map((record) => ({
    ...record,
    hash: Buffer.from(record.hash, "hex"),
    client: open(record.id, record.budget),
  }));
  return {
    needsKey: true,
    authenticate(header) {
      const sent = /^bearer +(\S+) *$/i.exec(header ?? "")?.[1];
      if (sent === undefined)
        throw new ApiError(401, "missing_authorization", "send the header Authorization: Bearer <key>");
      // Every key is compared, each in constant time: how long it takes says nothing of any of them.
      const [found] = keys.filter(({ salt, hash }) => timingSafeEqual(keyDigest(salt, sent), hash));
      if (found === undefined)
        throw new ApiError(401, "invalid_api_key", "this API key is not one of the server's");
      if (found.disabled === true)
        throw new ApiError(401, "key_disabled", `this API key (${found.id}) is disabled`);
      return found.client;
    },
    find: (id) => keys.find((key) => key.id === id && key.disabled !== true)?.client,
  };
}
