import { randomBytes } from "node:crypto";
import {
  ApiError,
  type CompletionRequest,
  completionUsage,
  errorBody,
  explainError,
  findModel,
  jobRequestSchema,
  parseCompletionRequest,
  prepareCompletion,
  type PreparedCompletion,
  type ServedModel,
} from "@residua/engine/api";
import { beginCompletion, type CompletionRun } from "../begin-completion.ts";
import type { Client, Clients } from "../clients.ts";
import { completionJson } from "./completion-response.ts";
import { hasEnded, type JobRecord } from "./job-record.ts";
import { expiredJobs, type JobRetention } from "./job-retention.ts";
import type { JobStore } from "./job-store.ts";
import { noQuirks } from "../quirks/active-quirks.ts";

interface Job {
  record: JobRecord;
  run: CompletionRun | null;
  cancelled: boolean;
  /** Settles when what is under way has ended and is saved; never rejects. */
  ended: Promise<void>;
}

/** A job's request, checked, with its hold and its place in the queue. */
interface ReadyJob {
  readonly request: CompletionRequest;
  readonly served: ServedModel;
  readonly prepared: PreparedCompletion;
  readonly run: CompletionRun;
}

interface JobsOptions {
  readonly served: readonly ServedModel[];
  readonly clients: Clients;
  readonly store: JobStore;
  readonly retention: JobRetention;
  readonly log: (line: string) => void;
}

/** Completions that run without a connection. They take their turn in the queue of their key. */
export class Jobs {
  readonly #options: JobsOptions;
  readonly #jobs = new Map<string, Job>();
  #next = 1;
  #closing = false;
  #sweeping: Promise<void> = Promise.resolve();
  #sweeper: ReturnType<typeof setInterval> | undefined;

  constructor(options: JobsOptions) {
    this.#options = options;
  }

  /**
   * Takes over the jobs of an earlier run: those that had not ended run again. Those of a key or a
   * model that is not there, or disabled, wait for a start at which it is. From then on ended jobs are dropped in time.
   */
  async resume(): Promise<void> {
    const { clients, store } = this.#options;
    for (const { record, request } of await store.load()) {
      const job = this.#add(record);
      const client = clients.find(record.owner);
      const modelHere = this.#options.served.some(({ id }) => id === record.model);
      if (hasEnded(record)) continue;
      job.record = { ...record, status: "pending", started_at: null };
      if (client === undefined || !modelHere) continue;
      try {
        const ready = this.#ready(client, request);
        job.ended = this.#execute(job, ready, request);
      } catch (error) {
        job.ended = this.#fail(job, error);
      }
    }
    const often = Math.min(3600, Math.max(1, this.#options.retention.seconds / 2));
    this.#sweeper = setInterval(() => this.#sweep(), often * 1000).unref();
    this.#sweep();
    await this.#sweeping;
  }

  /** Resolves when the job is saved. Throws ApiError 400 or 429. */
  async submit(client: Client, json: unknown): Promise<JobRecord> {
    if (this.#closing) throw new Error("the server closes");
    const ready = this.#ready(client, json);
    const record: JobRecord = {
      job_id: `job_${randomBytes(8).toString("hex")}`,
      object: "completion.job",
      status: "pending",
      model: ready.request.model,
      created_at: now(),
      started_at: null,
      completed_at: null,
      usage: null,
      error: null,
      owner: client.id,
      number: this.#next,
    };
    const job = this.#add(record);
    const saved = this.#options.store.write(record, json);
    job.ended = saved.then(
      () => this.#execute(job, ready, json),
      async () => {
        this.#jobs.delete(record.job_id);
        ready.run.suspend(new Error("the job was not saved"));
        await ready.run.generate().catch(() => undefined);
      },
    );
    await saved;
    return record;
  }

  /** Throws ApiError 404 `job_not_found`, for the job of another key too. */
  get(client: Client, id: string): JobRecord {
    return this.#find(client, id).record;
  }

  /** The newest first. */
  list(client: Client): JobRecord[] {
    const records = Array.from(this.#jobs.values(), ({ record }) => record);
    return records.filter(({ owner }) => owner === client.id).sort((a, b) => b.number - a.number);
  }

  /** Resolves when the job has ended. Throws ApiError 409 `job_not_cancellable` when it was done or failed before. */
  async cancel(client: Client, id: string): Promise<JobRecord> {
    const job = this.#find(client, id);
    if (!hasEnded(job.record)) {
      job.cancelled = true;
      job.run?.stop(new Error("the job was cancelled"));
      await job.ended;
    }
    const { status } = job.record;
    if (status === "cancelled") return job.record;
    throw new ApiError(409, "job_not_cancellable", `this job has ended: it is ${status}`);
  }

  /** The completion as JSON. Throws ApiError 409 `job_not_done`. */
  async result(client: Client, id: string): Promise<ReadableStream<Uint8Array>> {
    const { record } = this.#find(client, id);
    if (record.status === "done") return this.#options.store.readResult(record);
    const reason = record.error === null ? "" : ` (${record.error.code}: ${record.error.message})`;
    throw new ApiError(409, "job_not_done", `this job has no result: it is ${record.status}${reason}`);
  }

  /** Stops what runs; it runs again where the folder is opened the next time. */
  async close(): Promise<void> {
    this.#closing = true;
    clearInterval(this.#sweeper);
    for (const { run } of this.#jobs.values()) run?.suspend(new Error("the server closes"));
    await Promise.all(Array.from(this.#jobs.values(), ({ ended }) => ended));
    await this.#sweeping;
    await this.#options.store.close();
  }

  #add(record: JobRecord): Job {
    const job: Job = { record, run: null, cancelled: false, ended: Promise.resolve() };
    this.#jobs.set(record.job_id, job);
    this.#next = Math.max(this.#next, record.number + 1);
    return job;
  }

  /** Drops the ended jobs that are kept no longer. */
  #sweep(): void {
    const { store, retention, log } = this.#options;
    const records = Array.from(this.#jobs.values(), ({ record }) => record);
    const expired = expiredJobs(records, now(), retention);
    for (const { job_id: id } of expired) this.#jobs.delete(id);
    this.#sweeping = this.#sweeping.then(async () => {
      for (const record of expired) {
        // What cannot be removed now is tried again at the next start.
        await store.remove(record).catch((error: unknown) => explainError(error, log, record.job_id));
      }
    });
  }

  #find(client: Client, id: string): Job {
    const job = this.#jobs.get(id);
    if (job?.record.owner === client.id) return job;
    throw new ApiError(404, "job_not_found", "there is no such job; GET /v1/jobs/completions lists yours");
  }

  #ready(client: Client, json: unknown): ReadyJob {
    const request = parseCompletionRequest(json, jobRequestSchema);
    const served = findModel(this.#options.served, request.model);
    const prepared = prepareCompletion(request, served, { job: true });
    return {
      request,
      served,
      prepared,
      run: beginCompletion(prepared, { served, client, priority: request.priority ?? 0, quirks: noQuirks }),
    };
  }

  async #execute(job: Job, { request, served, prepared, run }: ReadyJob, json: unknown): Promise<void> {
    const { store } = this.#options;
    job.run = run;
    // Cancelled, or the server closed, before it was saved.
    if (job.cancelled) run.stop(new Error("the job was cancelled"));
    else if (this.#closing) run.suspend(new Error("the server closes"));
    let started: Promise<void> = Promise.resolve();
    try {
      await run.generate({
        onTurn: () => {
          started = this.#save(job, { status: "running", started_at: now() }, json);
        },
        onResult: async (generations) => {
          await started;
          await store.writeResult(job.record, completionJson(request, prepared, generations, served));
          const usage = completionUsage(prepared, generations);
          await this.#save(job, { status: "done", completed_at: now(), usage });
        },
      });
    } catch (error) {
      await started;
      if (job.cancelled) await this.#save(job, { status: "cancelled", completed_at: now() });
      else if (!this.#closing) await this.#fail(job, error);
    } finally {
      job.run = null;
      if (!this.#closing) this.#sweep();
    }
  }

  async #fail(job: Job, error: unknown): Promise<void> {
    const { job_id: id } = job.record;
    const { error: told } = errorBody(explainError(error, this.#options.log, id), id);
    await this.#save(job, { status: "failed", completed_at: now(), error: told });
  }

  /** A job that cannot be saved goes on: what it is then lasts as long as the server. */
  async #save(job: Job, changes: Partial<JobRecord>, request: unknown = null): Promise<void> {
    job.record = { ...job.record, ...changes };
    try {
      await this.#options.store.write(job.record, request);
    } catch (error) {
      explainError(error, this.#options.log, job.record.job_id);
    }
  }
}

function now(): number {
  return Math.floor(Date.now() / 1000);
}
