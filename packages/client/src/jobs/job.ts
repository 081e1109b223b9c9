import * as z from "zod";
import { asObject, asText } from "../json-values.ts";
import { ResiduaError } from "../residua-error.ts";
import { JobError } from "./job-error.ts";
import type { JobsProtocol, JobStatus } from "./jobs-protocol.ts";

/**
 * What is needed to wait for a job, in this process or another: plain JSON without the key. Save it with
 * `JSON.stringify(handle)`.
 */
export interface JobHandle {
  id: string;
  /** As it was asked for. */
  model: string | undefined;
  /** Prompts of the request, and choices of each: the result's shape. */
  prompts: number;
  n: number;
  /** Seconds since 1970. */
  created_at: number;
  /** Where it was made. */
  baseURL: string;
}

/** A job as the server speaks of it. */
export interface Job {
  id: string;
  status: JobStatus;
  /** The server's own word. */
  word: string;
  model: string | undefined;
  /** Seconds since 1970, where the server says. */
  created_at: number | undefined;
  started_at: number | undefined;
  completed_at: number | undefined;
  error: { code: string | undefined; message: string | undefined } | undefined;
  /** The answer as it came. */
  raw: Readonly<Record<string, unknown>>;
}

/** Whether a body has what every job has. */
export function isJob(body: unknown, { fields }: JobsProtocol): boolean {
  const raw = asObject(body);
  const has = (names: readonly string[]) => names.some((name) => typeof raw[name] === "string");
  return has(fields.id) && has(fields.status);
}

/** Throws JobError `invalid_job` or `job_unknown_status`. */
export function readJob(body: unknown, { fields, words }: JobsProtocol): Job {
  const raw = asObject(body);
  const first = (names: readonly string[]) =>
    names.map((name) => raw[name]).find((value) => value !== undefined && value !== null);
  const id = first(fields.id);
  const word = first(fields.status);
  if (typeof id !== "string" || id === "" || typeof word !== "string") {
    const names = `${fields.id.join(" or ")}, and ${fields.status.join(" or ")}`;
    throw new JobError("invalid_job", `the answer is not a job: it lacks ${names}; set jobs.fields`, {});
  }
  const status = (Object.keys(words) as JobStatus[]).find((name) =>
    words[name].some((known) => known.toLowerCase() === word.toLowerCase()),
  );
  if (status === undefined) {
    const known = Object.values(words).flat().join(", ");
    throw new JobError(
      "job_unknown_status",
      `job ${id} has the status ${JSON.stringify(word.slice(0, 100))}, which is none of ${known}; set jobs.words`,
      { id, word },
    );
  }
  const seconds = (names: readonly string[]) => {
    const value = first(names);
    return typeof value === "number" ? value : undefined;
  };
  return {
    id,
    status,
    word,
    model: asText(raw["model"]),
    created_at: seconds(fields.created),
    started_at: seconds(fields.started),
    completed_at: seconds(fields.completed),
    error: readError(first(fields.error)),
    raw,
  };
}

function readError(value: unknown): Job["error"] {
  if (typeof value === "string") return { code: undefined, message: value };
  if (typeof value !== "object" || value === null) return undefined;
  const { code, message } = asObject(value);
  return { code: asText(code), message: asText(message) };
}

const handleSchema = z.looseObject({
  id: z.string().min(1),
  model: z.string().optional(),
  prompts: z.int().positive(),
  n: z.int().positive(),
  created_at: z.number(),
  baseURL: z.string(),
});

/** A handle that was saved, or an id alone. Throws ResiduaError `invalid_option`. */
export function readHandle(given: JobHandle | string): Pick<JobHandle, "id"> & Partial<JobHandle> {
  if (typeof given === "string" && given !== "") return { id: given };
  const parsed = handleSchema.safeParse(given);
  if (parsed.success) return { ...parsed.data, model: parsed.data.model };
  const at = parsed.error.issues.map(({ path, message }) => `${path.join(".") || "job"}: ${message}`);
  throw new ResiduaError("invalid_option", `not a job's id or handle: ${at.slice(0, 3).join("; ")}`);
}
