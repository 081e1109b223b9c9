import process from "node:process";
import { createClient, ResiduaError } from "../../src/index.ts";

/** Asks the server named on the command line once, and reports what came and the most memory that it took. */
const client = createClient({ baseURL: process.argv[2] ?? "", apiKey: "k", maxRetries: 0 });
const before = process.memoryUsage.rss();
let peak = 0;
const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss() - before)), 5);
const outcome = await client.completions.create({ model: "m", prompt: "p" }).then(
  ({ activations }) => {
    const { data } = activations?.["residual_stream"] as { data: Uint8Array };
    return `${data.length} bytes`;
  },
  (error: unknown) => (error instanceof ResiduaError ? error.code : String(error)),
);
clearInterval(watch);
await client.close();
process.stdout.write(JSON.stringify({ outcome, peak }));
