import { ResiduaError } from "@residua/lens";
import * as tf from "@tensorflow/tfjs";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { loadNative } from "../../src/backend/backend-native.ts";
import { collect } from "../../src/collect/collect.ts";
import { useBackend } from "../../src/backend/use-backend.ts";
import { freshFolder } from "../collect/collect-helpers.ts";
import { MemoryLens } from "../collect/memory-lens.ts";
import { someExamples } from "../collect/some-examples.ts";

const native = await loadNative();

describe("useBackend", () => {
  test.runIf("reason" in native)(
    "takes WASM with SIMD where the native package is absent, and says why",
    async () => {
      const { reasons, ...backend } = await useBackend();
      expect(backend).toEqual({ name: "wasm", device: "CPU, WebAssembly with SIMD, 1 thread", threads: 1 });
      expect(reasons.map(({ name }) => name)).toEqual(["node-gpu", "webgpu"]);
      expect(reasons[0]!.reason).toContain("@tensorflow/tfjs-node-gpu is not installed (optional)");
      expect(reasons[1]!.reason).toMatch(/no GPU is there|software, which is no GPU|found no adapter/);
      expect(tf.getBackend()).toBe("wasm");
    },
  );

  test("chooses once", async () => {
    const [first, second] = await Promise.all([useBackend(), useBackend()]);
    expect(second).toBe(first);
    expect(await useBackend()).toBe(first);
  });

  test("takes the preferred one, and goes back", async () => {
    const cpu = await useBackend({ prefer: "cpu" });
    expect(cpu.name).toBe("cpu");
    expect(cpu.reasons.map(({ name }) => name)).toEqual(["node-gpu", "webgpu", "wasm"]);
    expect(tf.getBackend()).toBe("cpu");
    expect((await useBackend({ prefer: "wasm" })).name).toBe("wasm");
    expect(tf.getBackend()).toBe("wasm");
  });

  test("an unknown backend is refused by name", async () => {
    const run = useBackend({ prefer: "tpu" as "cpu" });
    await expect(run).rejects.toBeInstanceOf(ResiduaError);
    await expect(run).rejects.toThrow("node-gpu, node-cpu, webgpu, wasm, cpu");
  });

  test("an uncaught error after it is reported as Node reports one, without the compiled source", () => {
    const module = join(import.meta.dirname, "../../src/backend/use-backend.ts");
    const script = `
      const { useBackend } = await import(${JSON.stringify(module)});
      const mine = () => { throw new Error("never called"); };
      process.on("unhandledRejection", mine);
      await useBackend({ prefer: "wasm" });
      if (!process.listeners("unhandledRejection").includes(mine)) throw new Error("mine is gone");
      process.off("unhandledRejection", mine);
      throw new Error("on purpose");`;
    const args = ["--import", "tsx", "--conditions=@residua/source", "--input-type=module", "-e", script];
    const { stderr, status } = spawnSync(process.execPath, args, { encoding: "utf8" });
    expect(status).toBe(1);
    expect(stderr).toContain("Error: on purpose");
    expect(stderr.length).toBeLessThan(4000);
  });

  test("says nothing of its own on stdout or stderr, in a fresh process, on cpu and on the default", () => {
    const module = join(import.meta.dirname, "../../src/backend/use-backend.ts");
    const script = `
      import * as tf from "@tensorflow/tfjs";
      const { useBackend } = await import(${JSON.stringify(module)});
      for (const options of [{}, { prefer: "cpu" }]) {
        const { name } = await useBackend(options);
        const sum = tf.tidy(() => tf.tensor1d([1, 2]).square().sum());
        console.log(name, (await sum.data())[0]);
        sum.dispose();
      }`;
    const args = ["--import", "tsx", "--conditions=@residua/source", "--input-type=module", "-e", script];
    const { stdout, stderr } = spawnSync(process.execPath, args, {
      cwd: import.meta.dirname,
      encoding: "utf8",
    });
    expect(stderr).toBe("");
    expect(stdout).toMatch(/^(wasm|node-cpu|node-gpu) 5\ncpu 5\n$/);
  });
});

describe("loadNative: the ways it fails", () => {
  const fixture = (name: string): string => join(import.meta.dirname, "../../fixtures/dataset-native", name);

  test.each([
    ["absent", "@residua/no-such-package", "@residua/no-such-package is not installed (optional)"],
    [
      "a part of it absent",
      fixture("incomplete.cjs"),
      /^incomplete installation: Cannot find module 'no-such-part'/,
    ],
    ["no addon built", fixture("no-addon.cjs"), /^installed without its native addon/],
    [
      "an addon that is no library",
      fixture("bad-addon.cjs"),
      /^its native addon does not load: .*bad-addon\.node/,
    ],
    ["another error", fixture("broken.cjs"), "does not load: first line"],
    ["nothing registered", fixture("empty.cjs"), /registered no backend/],
  ])("%s", async (_, specifier, reason) => {
    const outcome = (await loadNative(specifier)) as { reason: string };
    if (typeof reason === "string") expect(outcome.reason).toContain(reason);
    else expect(outcome.reason).toMatch(reason);
  });
});

test("a layer becomes a tensor and goes, a thousand times, with tensors and memory flat", async () => {
  await useBackend({ prefer: "wasm" });
  const lens = new MemoryLens({ hiddenSize: 64 });
  const dataset = await collect(lens, someExamples(64), { layers: [1], to: await freshFolder() });
  const bits = await dataset.layerBits(1);
  const finite = (await dataset.layer(1)).map((value) =>
    Number.isFinite(value) && Math.abs(value) < 1e6 ? value : 0,
  );
  expect(bits).toHaveLength(finite.length);
  const step = (): void => {
    tf.tidy(() => {
      const x = tf.tensor2d(finite, [dataset.rows, dataset.hiddenSize]);
      x.matMul(x.transpose()).mean().dataSync();
    });
  };
  for (let i = 0; i < 200; i++) step();
  const before = { tensors: tf.memory().numTensors, rss: process.memoryUsage.rss() };
  for (let i = 0; i < 1000; i++) step();
  expect(tf.memory().numTensors).toBe(before.tensors);
  expect(process.memoryUsage.rss() - before.rss).toBeLessThan(48 << 20);
});
