import { z } from "zod";
import { errorSchema, usageSchema } from "./response-schemas.ts";

const seconds = z.number().int();

const fields = {
  job_id: z.string().regex(/^job_[0-9a-f]{16}$/),
  object: z.literal("completion.job"),
  status: z.enum(["pending", "running", "done", "failed", "cancelled"]),
  model: z.string().describe("The id that was asked for."),
  created_at: seconds.describe("Seconds since 1970, as the other times."),
  started_at: seconds.nullable(),
  completed_at: seconds.nullable(),
  usage: usageSchema.nullable().describe("When done."),
  error: errorSchema.shape.error.nullable().describe("When failed."),
};

/** A job as it is answered. */
export const jobSchema = z.strictObject(fields);

export const jobListSchema = z.strictObject({ object: z.literal("list"), data: z.array(jobSchema) });

/** A job as it is kept: also whose it is, and its place in the order of arrival. */
export const jobRecordSchema = z.strictObject({ ...fields, owner: z.string(), number: z.number().int() });

export type JobRecord = z.infer<typeof jobRecordSchema>;

/** What its owner sees. */
export function shownJob({ owner: _owner, number: _number, ...shown }: JobRecord): z.infer<typeof jobSchema> {
  return shown;
}

export function hasEnded({ status }: Pick<JobRecord, "status">): boolean {
  return status === "done" || status === "failed" || status === "cancelled";
}
