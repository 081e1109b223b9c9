import type { ClientCore } from "../client-core.ts";
import type { RequestOptions } from "../client-types.ts";
import { type JobRequest, shapeOf } from "../requests/completion-request.ts";
import { acsJob } from "../requests/endpoints/acs-job.ts";
import type { Completion } from "../responses/completion.ts";
import { parseCompletion } from "../responses/parse-completion.ts";
import { APIAbortError, APIConnectionError, APIError } from "../transport/api-error.ts";
import { retryAfterSeconds } from "../transport/error-body.ts";
import { retryOfConnection } from "../transport/retry-policy.ts";
import type { Answer } from "../transport/send-request.ts";
import { requestOptionsOf } from "../option-rules.ts";
import { isJob, type Job, type JobHandle, readHandle, readJob } from "./job.ts";
import { JobError, JobFailedError } from "./job-error.ts";
import { jobPath, type JobsProtocol } from "./jobs-protocol.ts";
import { waitForJob, type WaitOptions } from "./wait-for-job.ts";

/** Completions that run without a connection. A job is named by its handle, or by its id alone. */
export interface Jobs {
  /**
   * Makes a job. It is sent again only when the server surely did not take it (no connection, 429, 503): where that is not
   * sure, JobError `job_maybe_created` is thrown, and `list` tells. Throws InvalidRequestError before sending.
   */
  create(request: JobRequest, options?: RequestOptions): Promise<JobHandle>;
  /** Throws JobError `job_not_found`. */
  retrieve(job: JobHandle | string, options?: RequestOptions): Promise<Job>;
  /**
   * The completion of a job that is done. Given an id alone, nothing is known of its prompts: `choicesOf(0)` is all choices.
   * Throws APIError when it has none (409 `job_not_done`), JobError `job_not_found`.
   */
  result(job: JobHandle | string, options?: RequestOptions): Promise<Completion>;
  /**
   * The completion, once the job is done. Throws JobFailedError, JobError (`job_cancelled`, `job_not_found`, `job_timeout`),
   * APIAbortError.
   */
  wait(job: JobHandle | string, options?: WaitOptions): Promise<Completion>;
  /** Throws APIError when it has ended (409), JobError `job_not_found`. */
  cancel(job: JobHandle | string, options?: RequestOptions): Promise<Job>;
  /** The jobs of this key. */
  list(options?: RequestOptions): Promise<Job[]>;
}

export function makeJobs(core: ClientCore, protocol: JobsProtocol): Jobs {
  async function create(request: JobRequest, options: RequestOptions = {}): Promise<JobHandle> {
    const body = await core.prepare(request, acsJob, options);
    const call = {
      method: "POST",
      path: protocol.path,
      body,
      repeatable: false,
      mayRetry: wasNotTaken,
      accepts,
    } as const;
    let job: Job;
    try {
      job = jobOf(await core.send(call, options));
    } catch (error) {
      throw wasNotTaken(error) || !mayBeTaken(error) ? error : maybeCreated(error);
    }
    return {
      id: job.id,
      model: body.model,
      ...shapeOf(body),
      created_at: job.created_at ?? Math.floor(Date.now() / 1000),
      baseURL: core.baseURL,
    };
  }

  const accepts = (body: unknown) => isJob(body, protocol);

  function jobOf(answer: Answer): Job {
    return readJob(answer.body, protocol);
  }

  /** Sends at one job's path; a 404 says what that means. */
  async function ask(
    handle: Partial<JobHandle> & { id: string },
    { method, path }: { method: "GET" | "POST" | "DELETE"; path: string },
    options: RequestOptions,
  ): Promise<Answer> {
    // To cancel twice is to cancel.
    const call = { method, path: jobPath(protocol, path, handle.id), repeatable: true, accepts } as const;
    return core.send(call, options).catch((error: unknown) => {
      throw error instanceof APIError && error.status === 404 ? notFound(handle, error) : error;
    });
  }

  function notFound({ id, baseURL }: Partial<JobHandle> & { id: string }, error: APIError): JobError {
    const elsewhere =
      baseURL !== undefined && baseURL !== core.baseURL
        ? `it was made at ${baseURL}, and this client asks ${core.baseURL}`
        : "it may have been dropped since it ended, or be another key's; jobs.list() tells which are there";
    return new JobError("job_not_found", `there is no job ${id}: ${elsewhere} (${error.message})`, { id });
  }

  async function look(job: JobHandle | string, options: RequestOptions) {
    const answer = await ask(readHandle(job), { method: "GET", path: protocol.retrieve }, options);
    return { job: jobOf(answer), retryAfter: retryAfterSeconds(answer.headers["retry-after"]) };
  }

  async function result(job: JobHandle | string, options: RequestOptions = {}): Promise<Completion> {
    const handle = readHandle(job);
    const { result: place } = protocol;
    const path = "path" in place ? place.path : protocol.retrieve;
    const answer = await ask(handle, { method: "GET", path }, options);
    const body = "field" in place ? (answer.body as Record<string, unknown>)[place.field] : answer.body;
    const { prompts = 1, n = choicesIn(body) } = handle;
    const completion = parseCompletion({ ...answer, body }, { prompts, n });
    core.notice(handle.model, completion, answer.requestID);
    return completion;
  }

  async function wait(job: JobHandle | string, options: WaitOptions = {}): Promise<Completion> {
    const { id } = readHandle(job);
    const { timeout: _, ...others } = options;
    const each = requestOptionsOf(others);
    try {
      const ended = await waitForJob(id, (most) => look(job, { ...each, timeout: most }), options);
      if (ended.status === "failed")
        throw new JobFailedError(id, ended.error ?? { code: undefined, message: undefined });
      if (ended.status === "cancelled")
        throw new JobError("job_cancelled", `job ${id} was cancelled`, { id });
      return await result(job, each);
    } catch (error) {
      if (error instanceof APIAbortError && options.cancelOnAbort === true) {
        const { signal: __, ...more } = each;
        // The caller wants out; whether the server could be told does not change what is thrown.
        await cancel(job, { ...more, timeout: 10_000, maxRetries: 0 }).catch(() => undefined);
      }
      throw error;
    }
  }

  async function cancel(job: JobHandle | string, options: RequestOptions = {}): Promise<Job> {
    return jobOf(await ask(readHandle(job), protocol.cancel, options));
  }

  async function list(options: RequestOptions = {}): Promise<Job[]> {
    const answer = await core.send({ method: "GET", path: protocol.path }, options);
    const held = Array.isArray(answer.body)
      ? (answer.body as unknown[])
      : (answer.body as Record<string, unknown> | null)?.[protocol.list];
    if (Array.isArray(held)) return held.map((one) => readJob(one, protocol));
    throw answer.unexpected("unexpected_response", `the answer is not a list of jobs (no ${protocol.list})`);
  }

  return Object.freeze({
    create,
    retrieve: async (job: JobHandle | string, options: RequestOptions = {}) => (await look(job, options)).job,
    result,
    wait,
    cancel,
    list,
  });
}

/** No connection came about, or the server said that it has no room: nothing was made. */
function wasNotTaken(error: unknown): boolean {
  if (error instanceof APIError) return error.status === 429 || error.status === 503;
  if (!(error instanceof APIConnectionError)) return false;
  return retryOfConnection(error.reason, { reused: false, answered: false }) === "always";
}

/** An answer of 4xx says no; a lost answer, one that is no job, a timeout and a 5xx of a proxy say nothing. */
function mayBeTaken(error: unknown): boolean {
  if (error instanceof APIConnectionError || error instanceof JobError) return true;
  return error instanceof APIError && isUnclear(error);
}

function isUnclear({ status, code }: APIError): boolean {
  return status >= 500 || status === 408 || code === "incomplete_response" || code === "unexpected_response";
}

function maybeCreated(error: unknown): JobError {
  const { message } = error as Error;
  const advice = "jobs.list() tells; it is not sent again by itself, since that could make two";
  const fault = new JobError("job_maybe_created", `the job may have been made: ${message}; ${advice}`, {});
  fault.cause = error;
  return fault;
}

function choicesIn(body: unknown): number {
  const { choices } = (body ?? {}) as { choices?: unknown };
  return Array.isArray(choices) && choices.length > 0 ? choices.length : 1;
}
