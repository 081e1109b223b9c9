import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import type { Running } from "../support.ts";

export interface Job {
  job_id: string;
  object: string;
  status: string;
  model: string;
  created_at: number;
  started_at: number | null;
  completed_at: number | null;
  usage: { total_tokens: number } | null;
  error: { message: string; type: string; code: string } | null;
}

type Headers = Record<string, string>;

/** Asks at a path under /v1/jobs/completions. */
export async function ask(running: Running, method: string, path = "", body?: object, headers: Headers = {}) {
  const response = await fetch(`${running.server.url}/jobs/completions${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify({ model: "tiny", ...body }) }),
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as never };
}

export async function submit(running: Running, body: object, headers: Headers = {}): Promise<Job> {
  const answer = await ask(running, "POST", "", body, headers);
  expect(answer.status).toBe(202);
  return answer.body;
}

/** The job once it has this status. */
export async function until(
  running: Running,
  id: string,
  status: string,
  headers: Headers = {},
): Promise<Job> {
  for (;;) {
    const job: Job = (await ask(running, "GET", `/${id}`, undefined, headers)).body;
    if (job.status === status) return job;
    // An end that is not the one waited for would stay for ever.
    if (job.completed_at !== null) expect(job.status).toBe(status);
    await sleep(10);
  }
}

export async function doneJob(running: Running, body: object): Promise<Job> {
  return until(running, (await submit(running, body)).job_id, "done");
}
