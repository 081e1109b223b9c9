const steering = "packages/analysis/src/steering";
const tests = "packages/analysis/test/steering";
const target = { file: `${steering}/target-shift.ts`, test: `${tests}/target-shift.test.ts` };
const search = { test: `${tests}/search/search-steering.test.ts` };
const divergence = { file: `${steering}/neutral/divergence.ts`, test: `${tests}/neutral/divergence.test.ts` };
const recipe = {
  file: `${steering}/recipes/select-refusal-direction.ts`,
  test: `${tests}/recipes/select-refusal-direction.test.ts`,
  name: "the candidate is chosen",
};

/** The guards of steering experiments, by the bugs that they are for; see index.mjs. Those of steering itself are in lens-steer.mjs. */
export const analysisSteeringGuards = [
  {
    id: "S5-experiment",
    file: `${steering}/steering-common.ts`,
    remove: "layer: z.int().min(0),",
    insert: "layer: z.int(),",
    test: `${tests}/steering-layers.test.ts`,
    name: "S5",
  },
  {
    id: "S11-loops",
    file: `${steering}/damage/damage-limits.ts`,
    remove: "over(limits.looping, more,",
    insert: "over(limits.looping, null,",
    test: `${tests}/steering-damage.test.ts`,
    name: "S11, S12",
  },
  {
    id: "S12-loop-score",
    file: `${steering}/damage/loop-score.ts`,
    remove: "(compression !== null && compression > limits.compression) ||",
    insert: "",
    test: `${tests}/damage/loop-score.test.ts`,
    name: "a loop without spaces",
  },
  {
    id: "S11-first-damage",
    file: `${steering}/search/search-grid.ts`,
    remove: "stopped.push({ layer, scale, damage: measured.damage, untried });\n        return [];",
    insert: "stopped.push({ layer, scale, damage: measured.damage, untried });",
    ...search,
    name: "S11",
  },
  {
    id: "search-other-half",
    file: `${steering}/search/search-steering.ts`,
    remove: "prompts: halves.estimate, objective }",
    insert: "prompts: halves.choose, objective }",
    ...search,
    name: "is found, estimated on prompts that did not choose it",
  },
  {
    id: "search-twins-search",
    file: `${steering}/search/search-twins.ts`,
    remove: "cells[bestCell(cells, gains, objective.rounding) ?? 0]!",
    insert: "cells[0]!",
    ...search,
    name: "directions that do nothing more than others",
  },
  {
    id: "S14-baseline",
    file: `${steering}/steering-runs.ts`,
    remove: "steering: [rowsVector(condition.rows, condition.scale)],",
    insert: "steering: condition.scale === 0 ? [] : [rowsVector(condition.rows, condition.scale)],",
    test: `${tests}/steering-layers.test.ts`,
    name: "S14",
  },
  {
    id: "S15-disagreement",
    file: `${steering}/scorers/scorer-disagreements.ts`,
    remove: 'const judges = numbered.filter(({ kind }) => kind === "judge");',
    insert: "const judges = numbered.slice(0, 0);",
    test: `${tests}/scorers/scorers.test.ts`,
    name: "both scores are there",
  },
  {
    id: "S16-controls",
    ...target,
    remove: "net: shift - mean,",
    insert: "net: shift,",
    name: "S16",
  },
  {
    id: "S16-equal",
    ...target,
    remove: "&& distance(entry) <= rule.gap",
    insert: "",
    name: "a target that is not there at scale 0, or has no controls",
  },
  {
    id: "baseline-noise",
    file: `${steering}/steering-measures.ts`,
    remove: "Math.abs(shift.value) <= noise.shiftOfMean",
    insert: "shift.value === 0",
    test: `${tests}/evaluate-steering.test.ts`,
    name: "a shift inside the noise of the baseline",
  },
  {
    id: "kl-whole-vocabulary",
    file: `${steering}/neutral/token-distribution.ts`,
    remove: "sorted(entries);\n  const isWhole =",
    insert: "sorted(entries);\n  const isWhole = true ||",
    test: `${tests}/neutral/divergence.test.ts`,
    name: "a part of the vocabulary",
  },
  {
    id: "kl-lower-bound",
    ...divergence,
    remove: "const likely = Math.min(ceiling, (rest * part) / own);\n  return parted([part",
    insert: "const likely = Math.min(ceiling, rest) / 1e3;\n  return parted([part",
    name: "the likeliest tokens alone give a lower bound",
  },
  {
    id: "kl-ceiling",
    file: `${steering}/neutral/token-distribution.ts`,
    remove: "falling[Math.min(count, falling.length) - 1]",
    insert: "falling[falling.length - 1]",
    test: `${tests}/neutral/divergence.test.ts`,
    name: "a token that is named without being among the likeliest",
  },
  {
    id: "twin-norm",
    file: `${steering}/steering-rows.ts`,
    remove: "const scale = directionNorm(own) / directionNorm(vector);",
    insert: "const scale = 1;",
    test: `${tests}/twins/shuffled-twins.test.ts`,
    name: "have the direction's norm",
  },
  {
    id: "selection-kl",
    ...recipe,
    remove: "(kl.value ?? Infinity) >= maxKl",
    insert: "false",
  },
  {
    id: "selection-late",
    ...recipe,
    remove: "...(layer >= lateFrom",
    insert: "...(false",
  },
];
