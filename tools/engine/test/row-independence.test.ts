import { expect, test } from "vitest";
import { tryBlocks } from "../src/row-independence.ts";

const [inputs, outputs] = [4, 3];

/** A product whose rows are disturbed as `noise` says, by the number of rows and the row's place. */
const product = (noise: (count: number, row: number) => number) => (rows: Float32Array) => {
  const count = rows.length / inputs;
  return Float32Array.from({ length: count * outputs }, (_, at) => {
    const row = Math.floor(at / outputs);
    const own = rows.subarray(row * inputs, (row + 1) * inputs);
    return own.reduce((sum, value) => sum + value, 0) * (1 + (at % outputs)) + noise(count, row);
  });
};

test.each([
  ["rows that know of no others need no blocks", () => 0, null],
  ["rows that depend on how many there are go in blocks of 16", (count: number) => count / 8, 16],
  ["rows that depend on their place as well go one by one", (_: number, row: number) => row / 8, 1],
  ["a difference above 256 rows alone is found", (count: number) => (count > 256 ? 1 : 0), 16],
  [
    "a difference of the last of 33 rows alone is found",
    (count: number, row: number) => (count === 33 && row === 32 ? 1 : 0),
    16,
  ],
])("%s", (_, noise, expected) => {
  expect(tryBlocks(product(noise), inputs, outputs)).toBe(expected);
});
