import { readFileSync } from "node:fs";

interface AtPoint {
  point: number[];
  value: number;
  gradient: number[];
  decay: number;
}

/** Made by fixtures/torch_probes.py. */
export const torchFixture = JSON.parse(
  readFileSync(new URL("../../../fixtures/torch-probes.json", import.meta.url), "utf8"),
) as {
  width: number;
  values: number[];
  mlp: (AtPoint & { hidden: number; outputs: number; targets: number[] })[];
  attention: (AtPoint & { heads: number; outputs: number; sequences: number[]; targets: number[] })[];
  ccs: AtPoint & {
    width: number;
    positive: number[];
    negative: number[];
    best: { loss: number; direction: number[] };
  };
};

/** The furthest that a gradient is from the reference, as a share of the reference's largest number. */
export function gradientDistance(gradient: ArrayLike<number>, reference: readonly number[]): number {
  const size = Math.max(...reference.map(Math.abs));
  return Math.max(...reference.map((value, j) => Math.abs(value - gradient[j]!))) / size;
}
