import { createRandom } from "../../../src/statistics/random.ts";

/** Prompts of 3 to 8 token rows, of which one (anywhere) tells the label in feature 0 and is marked in feature 1. */
export function tokenRows(prompts: number, seed: number, width = 6) {
  const random = createRandom(seed, "token rows");
  const rows: number[][] = [];
  const labels: boolean[] = [];
  const examples: number[] = [];
  for (let prompt = 0; prompt < prompts; prompt++) {
    const count = 3 + random.below(6);
    const told = random.below(count);
    const label = prompt % 2 === 0;
    for (let token = 0; token < count; token++) {
      const row = Array.from({ length: width }, () => random.gaussian());
      row[0]! += token === told ? (label ? 2 : -2) : 0;
      row[1]! += token === told ? 5 : 0;
      rows.push(row);
      labels.push(label);
      examples.push(prompt);
    }
  }
  return { values: Float32Array.from(rows.flat()), width, labels, examples };
}

/** Rows of two features whose product's sign is the label: no line tells it. */
export function crossedRows(count: number, seed: number) {
  const random = createRandom(seed, "crossed rows");
  const values = Float32Array.from({ length: count * 2 }, () => random.gaussian());
  const labels = Array.from({ length: count }, (_, row) => values[row * 2]! * values[row * 2 + 1]! > 0);
  return { values, width: 2, labels };
}
