import type { CosineMatrix } from "../../../src/results/cosine-matrix.ts";

const names = ["truth", "truth, negated", "sentiment", "length of the prompt", "random"];
const cosines: Readonly<Record<string, number | null>> = {
  "0,1": -0.71,
  "0,2": 0.34,
  "0,3": 0.06,
  "0,4": -0.03,
  "1,2": -0.22,
  "1,3": 0.11,
  "1,4": 0.02,
  "2,3": 0.28,
  "2,4": null,
  "3,4": 0.15,
};

export function sampleCosineMatrix(): CosineMatrix {
  return {
    schemaVersion: 1,
    kind: "cosine-matrix",
    width: 96,
    directions: names.map((name, index) => ({
      name,
      layer: index === 4 ? null : 4,
      norm: 4.217 - index / 2,
    })),
    pairs: Object.entries(cosines).map(([pair, cosine]) => {
      const [first = 0, second = 0] = pair.split(",").map(Number);
      const named = { first: names[first]!, second: names[second]!, cosine };
      return cosine === null ? { ...named, reason: "one of them is zero" } : named;
    }),
    chance: 0.2,
    notes: [],
  };
}

/** As many directions as a sweep over the layers of a deep model gives. */
export function manyCosines(count = 40): CosineMatrix {
  const directions = Array.from({ length: count }, (_, layer) => ({
    name: `truth, layer ${layer}`,
    layer,
    norm: 1 + layer,
  }));
  return {
    ...sampleCosineMatrix(),
    width: 4096,
    chance: 0.0306,
    directions,
    pairs: directions.flatMap((first, i) =>
      directions.slice(i + 1).map((second, j) => ({
        first: first.name,
        second: second.name,
        cosine: Math.round(1e4 * (1.2 * Math.exp(-(j + 1) / 9) - 0.2)) / 1e4,
      })),
    ),
  };
}
