import { beforeAll, describe, expect, test } from "vitest";
import type { Backend } from "../../src/backend/backend-name.ts";
import type { NumericResult } from "../../src/backend/numeric-suite/numeric-check.ts";
import type { FitsLeave } from "./fit-repeatedly.ts";
import { denoWithLavapipe, nodeWithSwiftShader } from "./software-vulkan.ts";

interface Told {
  first: Backend;
  backend: Backend;
  limits: { bytes: number; rows: number };
  distances: { name: string; objective: number; cosine: number }[];
  results: NumericResult[];
  same: boolean;
  blocks: number;
  leave: FitsLeave;
  left: number;
}

/** SwiftShader takes half a minute for the largest product, and a second a fit. */
const runtimes = [
  {
    runtime: nodeWithSwiftShader,
    device: /^CPU \(a software adapter, no GPU\), WebGPU \(Dawn\): .*SwiftShader/,
    bytes: 64 << 20,
    fits: 36,
    limit: 2 ** 30,
  },
  {
    runtime: denoWithLavapipe,
    device: /^CPU \(a software adapter, no GPU\), WebGPU \(Deno\): llvmpipe/,
    bytes: 1 << 30,
    fits: 200,
    limit: 2 ** 27,
  },
];

describe.each(runtimes)("WebGPU: $runtime.name", ({ runtime, device, bytes, fits, limit }) => {
  let told: Told;
  beforeAll(async () => {
    if (runtime.missing !== undefined) return;
    told = JSON.parse(await runtime.run("webgpu-child.ts", [String(bytes), String(fits)])) as Told;
  }, 600_000);
  const when = (name: string, check: () => void) =>
    test(name, (context) => {
      if (runtime.missing !== undefined) context.skip(runtime.missing);
      check();
    });

  when("a software adapter is no GPU: it is taken only when it is asked for, and named as what it is", () => {
    expect(told.first.name).not.toBe("webgpu");
    const reason = told.first.reasons.find(({ name }) => name === "webgpu")?.reason;
    if (told.first.name === "wasm") expect(reason).toMatch(/no GPU/);
    expect(told.backend).toMatchObject({ name: "webgpu", threads: null });
    expect(told.backend.device).toMatch(device);
    expect(told.backend.reasons).toEqual([{ name: "node-gpu", reason: "not tried: webgpu was preferred" }]);
  });

  when("passes the numeric suite, beyond the device's own limits too", () => {
    expect(told.limits).toEqual({ bytes: limit, rows: 65535 });
    expect(told.results.filter(({ status }) => status === "fail")).toEqual([]);
    const known = told.results.filter(({ status }) => status === "known").map(({ name }) => name);
    expect(known).toEqual(["sum of int32 above 2²⁴"]);
    const beyond = told.results.find(({ name }) => name.startsWith("a tensor beyond"))!;
    // Deno's lavapipe ends at 128 MiB: an answer of zeros became an error.
    if (bytes > limit)
      expect(beyond.note).toContain("the device reported an error, so its answer was thrown away");
  });

  when("fits equal scikit-learn's", () => {
    expect(told.distances.length).toBeGreaterThan(2);
    for (const { name, objective, cosine } of told.distances) {
      expect(objective, name).toBeLessThan(1e-5);
      expect(cosine, name).toBeLessThan(1e-4);
    }
  });

  when("products that are split are the same", () => {
    expect(told.blocks).toBe(5);
    expect(told.same).toBe(true);
  });

  when(`J6: ${fits} fits leave no tensor and no memory`, () => {
    expect(told.leave.tensors).toBe(0);
    expect(told.left).toBe(0);
    expect(told.leave.mebibytes).toBeLessThan(32);
  });
});
