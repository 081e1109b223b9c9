import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as tf from "@tensorflow/tfjs";
import { expect, test } from "vitest";
import { loadNative } from "../../src/backend/native-load.ts";
import type { BackendExam } from "../../src/backend/numeric-suite/suite-task.ts";
import { folderBytes, nativeFolder } from "../../src/backend/native-place.ts";
import { inProcess, requireNative } from "./native-support.ts";

const source = (name: string) => JSON.stringify(join(import.meta.dirname, "../../src/backend", name));

/** Which backend is chosen, what it says of a GPU, one product and one gradient on it, and whose engine that was. */
const choose = `
  import * as tf from "@tensorflow/tfjs";
  const { useBackend } = await import(${source("use-backend.ts")});
  const { name, reasons } = await useBackend();
  const native = tf.findBackend("tensorflow");
  const product = tf.matMul(tf.tensor2d([1, 2, 3, 4], [2, 2]), tf.tensor2d([0, 1, 1, 0], [2, 2]));
  const gradient = tf.grad((x) => x.square().sum())(tf.tensor1d([1, -2, 3]));
  console.log(JSON.stringify({
    name, reason: reasons[0]?.reason, active: tf.getBackend(), gpu: native?.isUsingGpuDevice, gpuPackage: native?.isGPUPackage,
    product: [...await product.data()], gradient: [...await gradient.data()], tensors: tf.memory().numTensors,
  }));`;

const onCpu = {
  name: "node-cpu",
  active: "tensorflow",
  gpu: false,
  gpuPackage: true,
  product: [2, 1, 4, 3],
  gradient: [2, -4, 6],
};

test("the CPU variant is found in the cache folder, computes with the caller's tfjs, and says nothing", (context) => {
  const { found, stderr } = inProcess(requireNative(context), choose);
  expect(found).toMatchObject({ ...onCpu, reason: expect.stringContaining("install --cuda") as string });
  expect(stderr).toBe("");
  // Its own tensors alone: 2 inputs and product, gradient and its input.
  expect((found as { tensors: number }).tensors).toBe(5);
});

test("the CUDA variant without a GPU reports the CPU, with the reason", (context) => {
  const { found } = inProcess(requireNative(context, "cuda"), choose);
  expect(found).toMatchObject({
    ...onCpu,
    reason: expect.stringContaining("isUsingGpuDevice is false") as string,
  });
});

test("the numeric suite passes in two worker threads at once, beside the main thread", (context) => {
  const { found } = inProcess(
    requireNative(context),
    `
    const { examineBackends } = await import(${source("numeric-suite/examine-backends.ts")});
    const { useBackend } = await import(${source("use-backend.ts")});
    const examine = () => examineBackends({ backends: ["node-cpu"], bytes: 64 * 2 ** 20 });
    const [first, second, { name }] = await Promise.all([examine(), examine(), useBackend()]);
    console.log(JSON.stringify({ name, exams: [...first, ...second] }));`,
  );
  const { name, exams } = found as { name: string; exams: BackendExam[] };
  expect([name, ...exams.map((exam) => "results" in exam && exam.name)]).toEqual(Array(3).fill("node-cpu"));
  for (const exam of exams) {
    if (!("results" in exam)) throw new Error(exam.reason);
    expect(exam.results.filter(({ status }) => status === "fail")).toEqual([]);
    expect(exam.results.filter(({ status }) => status === "pass").length).toBeGreaterThan(50);
  }
});

test("Deno loads it", (context) => {
  const cache = requireNative(context);
  const require = createRequire(import.meta.url);
  const deno = join(require.resolve("deno/package.json"), "../bin.cjs");
  const module = join(import.meta.dirname, "../../src/backend/use-backend.ts");
  const script = `
    const { useBackend } = await import("file://${module}");
    console.log(JSON.stringify((await useBackend()).name));`;
  const command = [process.execPath, deno, "eval", "--quiet"];
  const { found } = inProcess(cache, script, {
    command,
    env: { DENO_CONDITIONS: "@residua/source", NODE_OPTIONS: "" },
  });
  expect(found).toBe("node-cpu");
});

test("an installation whose addon does not load says so, and what was tried before", async () => {
  const cache = await mkdtemp(join(tmpdir(), "residua-load-"));
  const folder = nativeFolder("cpu", cache);
  const dist = join(folder, "node_modules/@tensorflow/tfjs-node-gpu/dist");
  await mkdir(dist, { recursive: true });
  const manifest = {
    schemaVersion: 1,
    variant: "cpu",
    tfjs: "4.22.0",
    tensorflow: "2.15.1",
    installed: "",
  };
  await writeFile(join(dist, "register_all_kernels.js"), "");
  await writeFile(join(dist, "nodejs_kernel_backend.js"), "exports.NodeJSKernelBackend = class {};");
  await writeFile(join(folder, "tfjs_binding.node"), "no library");
  const bytes = folderBytes(folder);
  await writeFile(join(folder, "native.json"), JSON.stringify({ ...manifest, bytes }));
  try {
    const outcome = await loadNative(tf, { cache, specifier: "@residua/no-such-package" });
    expect(outcome).toEqual({
      reason: expect.stringMatching(
        /^@residua\/no-such-package is not installed \(optional\); the cpu variant in the cache folder: its native addon does not load: /,
      ) as string,
    });
    expect(tf.findBackend("tensorflow")).toBeNull();
  } finally {
    await rm(cache, { recursive: true, force: true });
  }
});
