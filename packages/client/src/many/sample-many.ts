import type { ClientCore } from "../client-core.ts";
import type { Completions, RequestOptions } from "../client-types.ts";
import type { Model } from "../catalogue/model.ts";
import { openJournal } from "../journal/journal.ts";
import type { JournalFiles } from "../journal/journal-files.ts";
import type { CompletionRequest } from "../requests/completion-request.ts";
import { completionEndpoints } from "../requests/endpoints/endpoints.ts";
import { APIAbortError } from "../transport/api-error.ts";
import type { Backoff } from "../transport/retry-policy.ts";
import { Pace } from "./pace.ts";
import { Packer } from "./packer.ts";
import { ProgressMeter } from "./progress-meter.ts";
import { readSampleOptions, type SampleSettings } from "./sample-settings.ts";
import type { ManyRequests, SampleManyOptions, SampleOutcome } from "./sample-many-types.ts";
import { SamplePlan } from "./sample-plan.ts";
import { SampleRun } from "./sample-run.ts";
import { RequestSource } from "./request-source.ts";
import { serverLimits } from "./server-limits.ts";
import { StartRate } from "./start-rate.ts";
import { isBusy } from "./stops-run.ts";

interface SampleManyParts {
  /** Of a client whose core is paced. */
  completions: Pick<Completions, "create">;
  listModels: (options?: RequestOptions) => Promise<Model[]>;
  backoff: Backoff;
  journals: JournalFiles | undefined;
}

/** A core that throws busy answers at once: the run paces all its requests by them, not each by itself. */
export function pacedCore(core: ClientCore): ClientCore {
  const mayRetry = (error: unknown) => !isBusy(error);
  return { ...core, send: (call, options) => core.send({ ...call, mayRetry }, options) };
}

export function makeSampleMany(core: ClientCore, parts: SampleManyParts): Completions["sampleMany"] {
  async function* sampleMany(
    requests: ManyRequests,
    options: SampleManyOptions,
    settings: SampleSettings,
  ): AsyncGenerator<SampleOutcome, void, undefined> {
    const { signal } = options;
    const endpoint = completionEndpoints[core.profile];
    const stopIfAborted = () => {
      if (signal?.aborted) throw new APIAbortError();
    };
    stopIfAborted();
    const limits = await serverLimits(
      () => parts.listModels({ ...settings.each, ...(signal && { signal }) }),
      options,
    );
    stopIfAborted();
    const { path, changed } = settings.journal ?? {};
    const place = {
      profile: core.profile,
      server: core.baseURL,
      path: path ?? "",
      changed: changed ?? "refuse",
    };
    const source = new RequestSource(requests, { ahead: limits.cap, onArrival: () => run.pump() });
    const journal = path === undefined ? undefined : await openJournal(parts.journals, place);
    const packer =
      settings.packed === undefined ? undefined : new Packer(endpoint, settings.packed, core.extraFields);
    const run: SampleRun = new SampleRun({
      plan: new SamplePlan({
        endpoint,
        extraFields: core.extraFields,
        source,
        seed: options.seed,
        packer,
        journal,
      }),
      pace: new Pace(limits.cap, parts.backoff),
      rate: limits.ratePerMinute === undefined ? undefined : new StartRate(limits.ratePerMinute),
      meter: new ProgressMeter(settings.total ?? totalOf(requests), performance.now()),
      journal,
      ordered: settings.ordered,
      window: settings.window ?? 8 * limits.cap,
      longestWait: settings.longestWait,
      send: (request, ending) =>
        parts.completions.create({ ...request, stream: false }, { ...settings.each, signal: ending }),
      onProgress: options.onProgress,
      capSource: limits.source,
    });
    const abort = () => run.fail(new APIAbortError());
    signal?.addEventListener("abort", abort, { once: true });
    if (signal?.aborted) abort();
    try {
      run.pump();
      for (;;) {
        const outcome = await run.take();
        if (outcome === undefined) return;
        yield outcome;
      }
    } finally {
      signal?.removeEventListener("abort", abort);
      await run.close();
      await Promise.all([journal?.close(), source.close()]);
    }
  }

  const start = (requests: ManyRequests<CompletionRequest>, options: SampleManyOptions = {}) =>
    sampleMany(requests, options, readSampleOptions(requests, options));
  return start as Completions["sampleMany"];
}

function totalOf(requests: ManyRequests): number | undefined {
  return Array.isArray(requests) ? requests.length : undefined;
}
