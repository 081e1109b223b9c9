import { readFileSync } from "node:fs";

interface SteeringFixture {
  distributions: {
    logits: [number[], number[]];
    top: number;
    logSumExp: number;
    kl: number;
    reverseKl: number;
    entropy: number;
    topKl: number;
    topReverseKl: number;
    topEntropy: number;
  }[];
  loops: {
    name: string;
    text: string;
    distinct1: number | null;
    distinct2: number | null;
    distinct3: number | null;
    compression: number;
    longestRepeat: number;
  }[];
  perplexity: { plain: number; loop: number };
}

/** Made by fixtures/steering.py with SciPy, zlib and transformers. */
export const steeringFixture = JSON.parse(
  readFileSync(new URL("../../fixtures/steering.json", import.meta.url), "utf8"),
) as SteeringFixture;
