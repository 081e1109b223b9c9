import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { collect, logistic, meanDifference, saveProbe, trainProbe, type Example } from "@residua/analysis";
import { type Lens, saveDirection } from "@residua/lens";
import { statementsAbout } from "@residua/tiny-model";

/**
 * A small real run in `folder`: statements captured at every layer (`dataset`: the last token of each; `tokens`: all tokens of a
 * few), logistic probes of the truth at layers 3 and 4 (`probes`), and a saved direction at layer 4 (`directions`).
 */
export async function makeRun(
  lens: Lens,
  folder: string,
  { statements = 40, model = "tiny" }: { statements?: number; model?: string } = {},
): Promise<void> {
  const half = statements / 2;
  const examples = [
    ...statementsAbout({ split: "train" }).slice(0, half),
    ...statementsAbout({ split: "heldOut" }).slice(0, half),
  ].map(({ prompt, truth, continent, group, split }): Example => ({
    id: `${group}, ${truth ? "true" : "false"}`,
    prompt,
    group,
    labels: { truth, continent },
    split,
  }));
  const options = { model, layers: "all", failFast: true } as const;
  const dataset = await collect(lens, examples, { ...options, select: "last", to: join(folder, "dataset") });
  await collect(lens, examples.slice(0, 4), { ...options, select: "all", to: join(folder, "tokens") });
  const where = { split: "train" };
  await mkdir(join(folder, "probes"));
  for (const layer of [3, 4]) {
    const probe = await trainProbe(dataset, { layer, label: "truth", probe: logistic(), C: 1, where });
    await saveProbe(join(folder, "probes", `truth-${layer}.json`), probe);
  }
  const direction = await meanDifference(dataset, { label: "truth", layer: 4, where });
  await saveDirection(join(folder, "directions"), direction, { name: "truth" });
}
