import { evaluateSteering, meanDifference, collect } from "@residua/analysis";
import { openLocal } from "@residua/engine";
import { firstRunData } from "./tools/cli/src/first-run-data.ts";
import { mkdtempSync } from "node:fs";
const lens = await openLocal("tools/tiny-model/model", { modelId: "tiny" });
const data = firstRunData({ cities: 80 });
const dataset = await collect(lens, data.examples, { layers: [2,3,4], select: "last", to: mkdtempSync("/tmp/m-steering-") + "/d" });
const split = await dataset.column("split");
const where = (row: number) => split[row] === "train";
const direction = await meanDifference(dataset, { label: "truth", layer: 4, where });
const prompts = data.heldOut.map(({ prompt, group, truth }) => ({ prompt, group, from: truth ? 0 as const : 1 as const }));
const t = performance.now();
const e = await evaluateSteering(lens, { direction, prompts, choices: data.verdictChoices, scales: [-2,-1,0,1,2,4], twins: 5, neutral: data.neutral, generation: { maxTokens: 24, temperature: 1 }, twinScales: [2], shuffled: { dataset, label: "truth", where, count: 3 } });
console.log("s", (performance.now() - t) / 1000);
const f = (x: any) => x.value === null ? x.reason : `${x.value.toFixed(4)} [${x.low?.toFixed(4)}, ${x.high?.toFixed(4)}] n ${x.n}`;
for (const s of e.scales) {
  console.log(s.scale, "first", f(s.toFirst), "valid", f(s.valid), "shift", f(s.shift), "control", f(s.controlShift));
  console.log("   target", f(s.target!.shift), "| controls", f(s.target!.controls), "| net", f(s.target!.net), "gap", s.target!.gap, "bounded", s.target!.bounded, s.target!.verdict);
  console.log("   ppl", s.perplexity, "kl", f(s.neutral!.kl), "rev", f(s.neutral!.reverseKl), "dH", f(s.neutral!.entropyChange), s.neutral!.over);
  console.log("   loops", f(s.loops!.distinct2), f(s.loops!.compression), f(s.loops!.longestRepeat), f(s.loops!.looping), s.damage);
}
console.log(JSON.stringify(e.twins.map((t) => t.comparisons), null, 1), JSON.stringify(e.shuffledTwins.map((t) => t.comparisons), null, 1), e.dose, e.notes, e.baselineNoise, e.baseline);
await lens.dispose();
