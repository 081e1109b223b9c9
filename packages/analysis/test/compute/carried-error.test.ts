import { InvalidRequestError, ResiduaError } from "@residua/lens";
import { expect, test } from "vitest";
import { packError, unpackError } from "../../src/compute/carried-error.ts";
import { ProbeError } from "../../src/probes/probe-error.ts";

/** As a message carries it. */
const carried = (error: unknown) => unpackError(structuredClone(packError(error)));

test("errors of ours keep class, code, message, data and stack", () => {
  const probe = new ProbeError("wrong_width", "7 numbers are no whole rows of 3.", {
    width: 3,
    seen: new Float32Array(2),
  });
  const back = carried(probe);
  expect(back).toBeInstanceOf(ProbeError);
  expect(back).toMatchObject({
    name: "ProbeError",
    code: "wrong_width",
    message: probe.message,
    data: probe.data,
  });
  expect(back.stack).toBe(probe.stack);
  const plain = carried(new ResiduaError("backend_error", "the device reported", { errors: ["a"] }));
  expect(plain).toBeInstanceOf(ResiduaError);
  expect(plain).toMatchObject({ name: "ResiduaError", code: "backend_error", data: { errors: ["a"] } });
  const issues = [{ field: "workers", given: "-1", allowed: "0 and more" }];
  const request = new InvalidRequestError(issues, "sweep");
  expect(carried(request)).toBeInstanceOf(InvalidRequestError);
  expect(carried(request)).toMatchObject({ message: request.message, code: "invalid_request", issues });
});

test("what cannot be cloned is left out, and the rest stays", () => {
  const error = new ResiduaError("x", "y", { count: 2, helper: () => 1 });
  expect(carried(error)).toMatchObject({ message: "y", data: { count: 2 } });
  expect((carried(error) as ResiduaError).data).not.toHaveProperty("helper");
});

test("other errors keep name, message and code; what is no error becomes one", () => {
  const range = Object.assign(new RangeError("too far"), { code: "ERR_RANGE" });
  expect(carried(range)).toMatchObject({ name: "RangeError", message: "too far", code: "ERR_RANGE" });
  expect(carried("only words")).toMatchObject({ name: "Error", message: "only words" });
});
