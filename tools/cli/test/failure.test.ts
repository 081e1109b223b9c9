import { expect, test } from "vitest";
import { explainFailure, UsageError } from "../src/failure.ts";

const withCode = (code: string) => Object.assign(new Error("what happened"), { code });

test("an exit code says whose fault it was", () => {
  expect(explainFailure(new UsageError("no")).exitCode).toBe(2);
  expect(explainFailure(withCode("capture_too_large")).exitCode).toBe(2);
  expect(explainFailure(withCode("row_count")).exitCode).toBe(3);
  expect(explainFailure(withCode("anything_else")).exitCode).toBe(1);
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
