import * as tf from "@tensorflow/tfjs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { logistic } from "../../src/probes/logistic/logistic.ts";
import { fitProbe } from "../../src/probes/probe-fit.ts";
import { createRandom } from "../../src/statistics/random.ts";

/** What many fits leave behind. */
export interface FitsLeave {
  /** Tensors more than before. */
  tensors: number;
  /**
   * MiB of resident memory more than before, after a collection of garbage: the least of six rounds, since a driver fills its
   * caches at times of its own, and a leak grows in every round.
   */
  mebibytes: number;
}

const rounds = 6;

/** Fits a small logistic probe again and again on the active backend, after as many fits as it takes to warm up. */
export async function fitRepeatedly(times: number, warmUp = Math.ceil(times / 3)): Promise<FitsLeave> {
  const [rows, width] = [48, 12];
  const random = createRandom(2, "fits");
  const values = Float32Array.from({ length: rows * width }, () => random.gaussian());
  const labels = Array.from({ length: rows }, (_, row) => row % 2);
  const fit = async (count: number) => {
    for (let i = 0; i < count; i++) await fitProbe(logistic(), { values, width, labels });
  };
  await fit(warmUp);
  const before = tf.memory().numTensors;
  const grown: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const rss = resident();
    await fit(Math.ceil(times / rounds));
    grown.push(resident() - rss);
  }
  return {
    tensors: tf.memory().numTensors - before,
    mebibytes: Math.round(Math.min(...grown) / 2 ** 20),
  };
}

function resident(): number {
  if (!("Deno" in globalThis)) {
    setFlagsFromString("--expose-gc");
    (runInNewContext("gc") as () => void)();
  }
  return process.memoryUsage.rss();
}
