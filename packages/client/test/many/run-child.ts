/** Run as a child process: reads `{baseURL, count, options}` from the first argument and samples so many requests. */
import process from "node:process";
import { createClient, type SampleManyOptions } from "../../src/index.ts";
import { requestsOf } from "./crowd-server.ts";

export interface ChildRun {
  baseURL: string;
  count: number;
  options: SampleManyOptions;
}

/** What the child prints at its end. */
export interface ChildReport {
  outcomes: number;
  failed: number;
  resumed: number;
  /** Largest resident size, in bytes, and that before the run. */
  peak: number;
  before: number;
}

const { baseURL, count, options } = JSON.parse(process.argv[2] ?? "{}") as ChildRun;
const client = createClient({ baseURL, apiKey: "k" });
const requests = function* () {
  for (let i = 0; i < count; i++) yield { ...requestsOf(1)[0]!, prompt: `p${i}` };
};
const report: ChildReport = {
  outcomes: 0,
  failed: 0,
  resumed: 0,
  peak: 0,
  before: process.memoryUsage.rss(),
};
for await (const outcome of client.completions.sampleMany(requests(), options)) {
  report.outcomes++;
  if (outcome.error !== undefined) report.failed++;
  if (outcome.resumed === true) report.resumed++;
  if (report.outcomes % 50 === 0) report.peak = Math.max(report.peak, process.memoryUsage.rss());
}
process.stdout.write(JSON.stringify(report));
await client.close();
