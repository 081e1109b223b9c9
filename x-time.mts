import { evaluateSteering } from "@residua/analysis";
import { openLocal } from "@residua/engine";
import { firstRunData } from "./tools/cli/src/first-run-data.ts";
const lens = await openLocal("tools/tiny-model/model", { modelId: "tiny" });
const data = firstRunData({ cities: 80 });
const direction = { layer: 4, vector: Float32Array.from({ length: 96 }, (_, i) => Math.sin(i) * 0.3), method: "x" };
const prompts = data.heldOut.map(({ prompt, group, truth }) => ({ prompt, group, from: truth ? 0 as const : 1 as const }));
for (const p of prompts.slice(0, 4)) { const c = await lens.generate({ prompt: p.prompt, max_tokens: 1, temperature: 0, logprobs: 20 }); console.log(JSON.stringify(p.prompt), Object.entries(c.choices[0]!.logprobs!.top_logprobs![0]!).slice(0,9).map(([t,l]) => `${t} ${l.toFixed(2)}`).join(",")); }
const base = { direction, prompts, choices: data.verdictChoices, scales: [-1, 1], twins: 0, draws: 100 };
for (const [name, extra] of Object.entries({ all: { neutral: data.neutral, neutralTop: "all" } })) {
  const t = performance.now();
  await evaluateSteering(lens, { ...base, ...extra } as any);
  console.log(name, ((performance.now() - t) / 1000).toFixed(2));
}
await lens.dispose();
