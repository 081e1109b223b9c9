// `npm run bench -- SUITE… [--json]`: our speed against a peer's, in one run. Peers in Python go into .cache/, never into npm ci.
import { register } from "node:module";
import { ensureInstalled } from "./workspace.mjs";

await ensureInstalled();
const tsx = await import("tsx/esm/api");
tsx.register();
register("../cli/bin/source-condition.js", import.meta.url);
await import("../bench/src/main.ts");
