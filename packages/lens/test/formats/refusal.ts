import { expect } from "vitest";

/** An error of this code whose message says this; for `toThrow` and `rejects.toEqual`. */
export function refusal(code: string, problem: string): Error {
  return expect.objectContaining({ code, message: expect.stringContaining(problem) as string }) as Error;
}
