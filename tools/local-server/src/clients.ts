import { timingSafeEqual } from "node:crypto";
import { ApiError } from "@residua/engine/api";
import { keyDigest, scopes, type KeyRecord, type Scope } from "./key-records.ts";
import type { Hold, Ledger } from "./ledger.ts";
import { RequestQueue } from "./request-queue.ts";

/** Who asks: a key, or everybody where the server has none. */
export interface Client {
  readonly id: string;
  readonly queue: RequestQueue;
  /** Throws ApiError 403 `scope_denied`. */
  need(scope: Scope): void;
  /** Sets tokens aside. Throws ApiError 429 `budget_exceeded`. */
  hold(tokens: number): Hold;
}

/** All who may ask. */
export interface Clients {
  readonly needsKey: boolean;
  /** Whose Authorization header this is. Throws ApiError 401. */
  authenticate(header: string | undefined): Client;
  /** The client of an id; undefined for a key that is not let in, too. */
  find(id: string): Client | undefined;
}

/** The id of who asks where there are no keys. */
export const onlyClient = "default";

/** Without records everybody is one client. */
export function createClients(records: readonly KeyRecord[], ledger: Ledger): Clients {
  const open = ({ id, ...record }: Pick<KeyRecord, "id"> & Partial<KeyRecord>): Client => {
    const budgets = { total: record.budget, daily: record.dailyBudget, monthly: record.monthlyBudget };
    const allowed: readonly Scope[] = record.scopes ?? scopes;
    return {
      id,
      queue: new RequestQueue(),
      need(scope) {
        if (allowed.includes(scope)) return;
        const has = allowed.length === 0 ? "none" : allowed.join(", ");
        throw new ApiError(
          403,
          "scope_denied",
          `this API key (${id}) has not the scope ${scope}; it has ${has}`,
        );
      },
      hold: (tokens) => ledger.hold(id, tokens, budgets),
    };
  };
  if (records.length === 0) {
    const everybody = open({ id: onlyClient });
    return {
      needsKey: false,
      authenticate: () => everybody,
      find: (id) => (id === everybody.id ? everybody : undefined),
    };
  }
  const keys = records.map((record) => ({
    ...record,
    hash: Buffer.from(record.hash, "hex"),
    client: open(record),
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
      const refusal = refusalOf(found);
      if (refusal !== null) throw new ApiError(401, ...refusal);
      return found.client;
    },
    find: (id) => keys.find((key) => key.id === id && refusalOf(key) === null)?.client,
  };
}

/** Why a key is not let in, as a code and a message; null when it is. */
function refusalOf({
  id,
  disabled,
  state,
}: Pick<KeyRecord, "id" | "disabled" | "state">): [code: string, message: string] | null {
  if (disabled === true) return ["key_disabled", `this API key (${id}) is disabled`];
  if (state === "revoked") return ["key_revoked", `this API key (${id}) was revoked`];
  if (state === undefined) return null;
  return [`account_${state}`, `the account of this API key (${id}) is ${state.replace("_", " ")}`];
}
