// `npm run bench -- SUITE… [--json | --markdown]`: our speed against a peer's, in one run. Peers in Python go into .cache/, never into npm ci.
import { ensureInstalled, runSource } from "./workspace.mjs";

await ensureInstalled();
await runSource("tools/bench/src/main.ts");
