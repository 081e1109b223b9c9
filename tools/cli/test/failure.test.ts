import { SteeringError, VerificationError } from "@residua/lens";
import { expect, test } from "vitest";
import { explainFailure } from "../src/failure.ts";
import { UsageError } from "../src/usage-error.ts";

const withCode = (code: string) => Object.assign(new Error("what happened"), { code });
const exitCode = (error: unknown) => explainFailure(error).exitCode;

test("an exit code says whose fault it was", () => {
  expect(exitCode(new UsageError("no"))).toBe(2);
  expect(exitCode(new SteeringError("steering_width", "no"))).toBe(2);
  expect(exitCode(withCode("no_such_column"))).toBe(2);
  expect(exitCode(new VerificationError("row_count", "no"))).toBe(3);
  expect(exitCode(withCode("anything_else"))).toBe(1);
  expect(explainFailure(new Error("x"), { interrupted: true })).toEqual({ message: "", exitCode: 130 });
});

test("a stack trace is shown only when it is asked for", () => {
  const error = new Error("one line");
  expect(explainFailure(error).message).toBe("residua: one line");
  process.env["RESIDUA_DEBUG"] = "1";
  try {
    expect(explainFailure(error).message).toContain("failure.test.ts");
  } finally {
    delete process.env["RESIDUA_DEBUG"];
  }
});
