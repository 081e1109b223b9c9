export { hashApiKey, readKeyRecords, type KeyRecord } from "./key-records.ts";
export type { LedgerEntry } from "./ledger.ts";
export { limitRules, type RequestFacts } from "@residua/engine/api";
export { profileNames, type ProfileName } from "./profile.ts";
export { explainQuirks, type QuirkExplanation } from "./quirks/explain-quirks.ts";
export { ServerError } from "./server-error.ts";
export { startServer, type LocalServer, type ServerOptions } from "./start-server.ts";
