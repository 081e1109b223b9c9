import type { Example } from "../../src/examples/example.ts";

/** Examples about nothing, of different lengths, with a label of each type. */
export function someExamples(count: number): Example[] {
  return Array.from({ length: count }, (_, i) => ({
    id: `e${i}`,
    prompt:
      i % 3 === 0 ? [0, i % 900, 7, (i * 13) % 900] : `statement number ${i}${" and more".repeat(i % 4)}`,
    group: `g${i % 5}`,
    labels: { truth: i % 2 === 0, score: i / 3 - 1, topic: i % 4 === 0 ? "ciudad ñ" : "" },
    ...(i % 2 === 0 ? { split: "train" } : {}),
  }));
}
