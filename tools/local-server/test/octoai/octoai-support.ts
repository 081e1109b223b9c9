import { expect } from "vitest";
import type { z } from "zod";
import type { ServerOptions } from "../../src/index.ts";
import {
  octoaiChunkSchema,
  octoaiCompletionSchema,
  octoaiErrorSchema,
  validationErrorSchema,
} from "../../src/octoai/octoai-schemas.ts";
import { serve, start, type Running } from "../support.ts";
import { streamed } from "../stream-support.ts";

export type OctoaiCompletion = z.infer<typeof octoaiCompletionSchema>;
export type OctoaiChunk = z.infer<typeof octoaiChunkSchema>;

export const startOctoai = (options: Parameters<typeof start>[0] & Partial<ServerOptions> = {}) =>
  start({ profile: "octoai", ...options });

/** The same for all tests of a file. */
export const serveOctoai = (options: Parameters<typeof startOctoai>[0] = {}) =>
  serve({ profile: "octoai", ...options });

/** A completion that was answered, its form checked to the last key. */
export async function completed(
  running: Running,
  body: object,
  headers?: Record<string, string>,
): Promise<OctoaiCompletion> {
  const { status, body: answer } = await running.complete(body, headers);
  expect({ status, answer }).toMatchObject({ status: 200 });
  return octoaiCompletionSchema.parse(answer);
}

/** The chunks of a stream, the form of each checked to the last key. */
export async function chunksOf(running: Running, body: object): Promise<OctoaiChunk[]> {
  return (await streamed(running, body)).map((chunk) => octoaiChunkSchema.parse(chunk));
}

/** Refused with 422; what is wrong with each field, as `field: message`. */
export async function invalid(running: Running, body: unknown): Promise<string[]> {
  const { status, body: answer } = await running.complete(body);
  expect({ status, answer }).toMatchObject({ status: 422 });
  const { detail } = validationErrorSchema.parse(answer);
  expect(detail.every(({ loc }) => loc[0] === "body")).toBe(true);
  return detail.map(({ loc, msg }) => `${loc.slice(1).join(".")}: ${msg}`);
}

/** Refused with another status: the error at the top level. */
export async function failed(
  running: Running,
  status: number,
  body: unknown,
  headers?: Record<string, string>,
) {
  const answer = await running.complete(body, headers);
  expect(answer.status).toBe(status);
  return { ...octoaiErrorSchema.parse(answer.body), headers: answer.headers };
}
