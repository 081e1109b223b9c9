import type { BackendExam } from "@residua/analysis";
import { expect, test } from "vitest";
import { doctorReport } from "../src/doctor-report.ts";
import { explainFailure } from "../src/failure.ts";

const result = { tolerance: "exact", reference: "whole numbers", ms: 1 };
const wrong: BackendExam = {
  candidate: "node-gpu",
  name: "node-cpu",
  device: "CPU, TensorFlow",
  threads: 2,
  reasons: [{ name: "node-gpu", reason: "no GPU computes" }],
  ms: 1234,
  results: [
    { ...result, name: "sum", status: "pass", note: "flushes" },
    { ...result, name: "round of int32", status: "fail", found: 0, expected: -7, at: "value 0" },
    { ...result, name: "large", status: "skipped", reason: "too large" },
  ],
};
const absent: BackendExam = { candidate: "webgpu", reason: "no adapter" };

test("a backend that computes wrongly is named with the check, what it gave and what was right: exit 3", () => {
  const { text, failure } = doctorReport([wrong, absent]);
  expect(text.split("\n")).toEqual([
    "backend   threads  passed  failed  known  skipped   time           device",
    "node-cpu        2       1       1      0        1  1.2 s  CPU, TensorFlow",
    "",
    "not there:",
    "  webgpu: no adapter",
    "  node-gpu: no GPU computes",
    "",
    "failed:",
    "  node-cpu: round of int32: 0 in place of -7, value 0 (allowed: exact)",
    "",
    "worth knowing:",
    "  node-cpu: sum: flushes",
  ]);
  expect(failure?.message).toContain("computes wrongly: node-cpu");
  expect(explainFailure(failure).exitCode).toBe(3);
});

test("what is not there is no failure", () => {
  expect(doctorReport([absent]).failure).toBeUndefined();
});
