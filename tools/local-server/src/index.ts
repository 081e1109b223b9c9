export { hashApiKey, type KeyRecord } from "./key-records.ts";
export type { LedgerEntry } from "./ledger.ts";
export { limitRules, type RequestFacts } from "./acs/request-limits.ts";
export { ServerError } from "./server-error.ts";
export { startServer, type LocalServer, type ServerOptions } from "./start-server.ts";
