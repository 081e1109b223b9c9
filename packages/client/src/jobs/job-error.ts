import { ResiduaError } from "../residua-error.ts";

/**
 * A job did not come to its result: `job_failed` (JobFailedError), `job_cancelled`, `job_not_found`, `job_timeout`,
 * `job_maybe_created`, `job_unknown_status`, `invalid_job`. `data.id` is the job's, where it has one.
 */
export class JobError extends ResiduaError {
  readonly id: string | undefined;

  constructor(code: string, message: string, data: Readonly<Record<string, unknown>> & { id?: string }) {
    super(code, message, data);
    this.id = data.id;
  }
}

/** The server ran the job and it failed; `serverCode` and `serverMessage` are what it said. */
export class JobFailedError extends JobError {
  readonly serverCode: string | undefined;
  readonly serverMessage: string | undefined;

  constructor(id: string, said: { code: string | undefined; message: string | undefined }) {
    const { code, message } = said;
    const why = [code, message].filter((part) => part !== undefined).join(": ");
    super("job_failed", `job ${id} failed${why === "" ? ", and the server does not say why" : `: ${why}`}`, {
      id,
      ...said,
    });
    this.serverCode = code;
    this.serverMessage = message;
  }
}
