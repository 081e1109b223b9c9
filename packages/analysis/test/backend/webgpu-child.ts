import * as tf from "@tensorflow/tfjs";
import { deviceLimits } from "../../src/backend/device-limits.ts";
import { deviceMatrix } from "../../src/backend/device-matrix.ts";
import { runNumericSuite } from "../../src/backend/numeric-suite/run-numeric-suite.ts";
import { useBackend } from "../../src/backend/use-backend.ts";
import { distanceToSklearn } from "../probes/like-sklearn.ts";
import { sklearnFixture } from "../probes/sklearn-fixture.ts";
import { fitRepeatedly } from "./fit-repeatedly.ts";

/**
 * What WebGPU does in a process of its own, as one line of JSON. The first argument is the number of bytes above which checks of
 * the suite are left out, the second how many fits look for leaks.
 */
const [bytes, fits] = process.argv.slice(2).map(Number) as [number, number];

const first = await useBackend();
const backend = await useBackend({ prefer: "webgpu" });
const limits = deviceLimits();
const distances = [];
for (const one of sklearnFixture.cases) distances.push({ name: one.name, ...(await distanceToSklearn(one)) });
const results = await runNumericSuite({ bytes });

/** The reads that block are what WebGPU cannot do. */
const values = Float32Array.from({ length: 300 * 20 }, (_, at) => ((at * 7) % 11) - 5);
const split = deviceMatrix(values, 20, { bytes: 4 * 20 * 64, rows: 1000 });
const whole = deviceMatrix(values, 20);
const same = JSON.stringify(await split.gram()) === JSON.stringify(await whole.gram());
const blocks = split.blocks;
split.dispose();
whole.dispose();

const leave = await fitRepeatedly(fits);
const left = tf.memory().numTensors;
console.log(JSON.stringify({ first, backend, limits, distances, results, same, blocks, leave, left }));
