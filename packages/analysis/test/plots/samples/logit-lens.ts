import type { LogitLensTable } from "../../../src/results/logit-lens.ts";

const texts = ["The", " city", " of", " Paris", " is", " in", " Europe", ".", "\n", "Verdict", ":"];
const next = [" city", " of", " Paris", " is", " in", " Europe", ".", "\n", "Verdict", ":", " true"];
const early = [" the", "s", " a", "\n", " not", " unbelievably"];

export function sampleLogitLens(depth = 6): LogitLensTable {
  return {
    schemaVersion: 1,
    kind: "logit-lens",
    model: "residua/tiny",
    tokens: texts.map((text, position) => ({ position, id: 50 + position, text })),
    layers: Array.from({ length: depth }, (_, layer) => ({
      layer,
      readings: texts.map((_, token) => {
        const ripe = (layer + 1) / depth;
        const settled = ripe > 0.3 + 0.06 * (token % 8);
        const sure = settled ? 0.2 + 0.75 * ripe : 0.05 + 0.2 * ripe;
        const right = { id: 200 + token, text: next[token]!, logprob: Math.log(settled ? sure : sure / 3) };
        const guess = (token + layer) % early.length;
        const wrong = {
          id: 300 + guess,
          text: early[guess]!,
          logprob: Math.log(settled ? (1 - sure) / 3 : sure),
        };
        return {
          top: settled ? [right, wrong] : [wrong, right],
          entropy: 6 * (1 - sure),
          kl: layer === depth - 1 ? 0 : 4 * (1 - ripe),
        };
      }),
    })),
  };
}
