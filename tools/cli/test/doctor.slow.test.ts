import { expect, test } from "vitest";
import { residua } from "./residua-process.ts";

interface Told {
  backends: { candidate: string; name?: string; reason?: string; results?: { status: string }[] }[];
  ok: boolean;
}

test("residua doctor runs the numeric suite on what is there, and says why the rest is not", async () => {
  const { code, stdout } = await residua(["doctor", "--json", "--quiet"]);
  expect(code).toBe(0);
  const { backends, ok } = JSON.parse(stdout) as Told;
  expect(backends.map(({ candidate }) => candidate)).toEqual(["node-gpu", "webgpu", "wasm", "cpu"]);
  expect(ok).toBe(true);
  for (const name of ["wasm", "cpu"]) {
    const { results } = backends.find(({ candidate }) => candidate === name)!;
    expect(results!.length).toBeGreaterThan(60);
    expect(results!.every(({ status }) => status === "pass" || status === "known")).toBe(true);
  }
  for (const { results, reason } of backends) expect(results ?? reason).toBeTruthy();
}, 300_000);

test("residua doctor --backend tries one, as a table", async () => {
  const { code, stdout, stderr } = await residua(["doctor", "--backend", "wasm"]);
  expect(code).toBe(0);
  expect(stderr).toContain("1/1 wasm");
  expect(stdout).toMatch(/backend +threads +passed +failed +known +skipped +time +device/);
  expect(stdout).toMatch(/^wasm +1 +\d+ +0 +1 +0 .* CPU, WebAssembly with SIMD, 1 thread$/m);
  expect(stdout).toContain("wasm: float32 to bool: it cuts the number off to a byte");
});

test("a backend that is asked for and not there is bad input; so is a name that no backend has", async () => {
  const env = { VK_ICD_FILENAMES: "/nonexistent" };
  const absent = await residua(["doctor", "--backend", "webgpu"], { env });
  expect(absent.code).toBe(2);
  expect(absent.stdout).toContain("not there:\n  webgpu: ");
  expect(absent.stderr).toContain("--backend webgpu: it is not there");
  const unknown = await residua(["doctor", "--backend", "tpu"]);
  expect(unknown.code).toBe(2);
  expect(unknown.stderr).toContain("Allowed choices are native, node-gpu, node-cpu, webgpu, wasm, cpu");
});
