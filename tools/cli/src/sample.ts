import { once } from "node:events";
import type { CompletionRequest, SampleOutcome } from "@residua/client";
import { withConnection, type ServerOptions } from "./connect.ts";
import type { CommandContext } from "./make-command.ts";
import { countRequests, readRequests } from "./requests-file.ts";

/** Options of `residua sample`. */
export interface SampleOptions extends ServerOptions {
  file: string;
  journal?: string;
  concurrency?: number;
  ratePerMinute?: number;
  seed?: number;
  pack?: boolean;
  ordered?: boolean;
}

/** `residua sample`: sends the requests of a file, many at once, and prints one line of JSON for each outcome. */
export async function sample(options: SampleOptions, { output, signal }: CommandContext): Promise<void> {
  const { file, journal, concurrency, ratePerMinute, seed, pack = false, ordered = false } = options;
  const total = await countRequests(file);
  await withConnection(options, { output, signal }, async ({ client, model }) => {
    async function* requests() {
      for await (const request of readRequests(file)) yield { model, ...request } as CompletionRequest;
    }
    let failed = 0;
    const run = client.completions.sampleMany(requests(), {
      ...{ total, signal, pack, ordered },
      ...(journal !== undefined && { journal }),
      ...(concurrency !== undefined && { concurrency }),
      ...(ratePerMinute !== undefined && { ratePerMinute }),
      ...(seed !== undefined && { seed }),
      onProgress: ({ done }) => output.count("requests", done, total),
    });
    for await (const outcome of run) {
      if (outcome.error !== undefined) failed++;
      const more = process.stdout.write(`${JSON.stringify(lineOf(outcome))}\n`);
      if (!more) await once(process.stdout, "drain");
    }
    if (failed > 0) throw new Error(`${failed} of ${total} requests failed`);
  });
}

function lineOf(outcome: SampleOutcome): object {
  const { index, request, resumed, error } = outcome;
  const base = { index, prompt: request.prompt, seed: request.seed, resumed };
  if (error === undefined) return { ...base, completion: outcome.completion, packed: outcome.packed };
  const { code, message } = error;
  const status = "status" in error ? error.status : undefined;
  return { ...base, error: { code, status, message } };
}
