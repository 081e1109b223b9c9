import { ResiduaError } from "../residua-error.ts";
import { withoutUndefined } from "../without-undefined.ts";

/** What a job can be. */
export type JobStatus = "pending" | "running" | "done" | "failed" | "cancelled";

/**
 * How a server speaks of jobs. No public page says it: the default is an assumption (and what the local server does), and
 * `createClient({ jobs })` sets what is otherwise. `{id}` in a path stands for the job's id.
 */
export interface JobsProtocol {
  /** POST makes a job, and GET lists them. Default: the client's `paths.jobs`, `/jobs/completions`. */
  path: string;
  /** GET, under `path`. */
  retrieve: string;
  /**
   * Where the completion of a job that is done is: GET at a path under `path`, or, with `field`, in that field of the job.
   */
  result: { path: string } | { field: string };
  cancel: { method: "DELETE" | "POST"; path: string };
  /** Fields of a job; of several names the first that is there counts. */
  fields: {
    id: readonly string[];
    status: readonly string[];
    created: readonly string[];
    started: readonly string[];
    completed: readonly string[];
    error: readonly string[];
  };
  /** The field of a list's body that holds the jobs; a body that is itself a list is taken too. */
  list: string;
  /** The server's words for each status; upper and lower case are the same. */
  words: Readonly<Record<JobStatus, readonly string[]>>;
}

const assumedProtocol: Omit<JobsProtocol, "path"> = {
  retrieve: "/{id}",
  result: { path: "/{id}/result" },
  cancel: { method: "DELETE", path: "/{id}" },
  fields: {
    id: ["job_id", "id"],
    status: ["status"],
    created: ["created_at", "created"],
    started: ["started_at"],
    completed: ["completed_at", "finished_at"],
    error: ["error"],
  },
  list: "data",
  words: {
    pending: ["pending", "queued"],
    running: ["running", "in_progress"],
    done: ["done", "completed", "succeeded"],
    failed: ["failed", "error"],
    cancelled: ["cancelled", "canceled"],
  },
};

/** What a client may set of it: fields and words one by one. */
export type JobsOptions = Partial<Omit<JobsProtocol, "fields" | "words">> & {
  fields?: Partial<JobsProtocol["fields"]>;
  words?: Partial<JobsProtocol["words"]>;
};

/** Throws ResiduaError `invalid_option`. */
export function readJobsProtocol(path: string, options: JobsOptions = {}): JobsProtocol {
  const protocol: JobsProtocol = {
    path,
    ...assumedProtocol,
    ...withoutUndefined(options),
    fields: { ...assumedProtocol.fields, ...withoutUndefined(options.fields) },
    words: { ...assumedProtocol.words, ...withoutUndefined(options.words) },
  };
  const { retrieve, result, cancel } = protocol;
  const paths = {
    retrieve,
    "cancel.path": cancel.path,
    ...("path" in result && { "result.path": result.path }),
  };
  for (const [name, given] of Object.entries(paths)) {
    if (given.startsWith("/") && given.includes("{id}")) continue;
    throw new ResiduaError(
      "invalid_option",
      `jobs.${name}: ${JSON.stringify(given)} given; allowed: a path from / that holds {id}`,
    );
  }
  return protocol;
}

/** The path of one job. */
export function jobPath({ path }: JobsProtocol, template: string, id: string): string {
  return path + template.replaceAll("{id}", encodeURIComponent(id));
}
