// The first notebook as a plain script: DENO_CONDITIONS=@residua/source deno run -A notebooks/first-capture.ts
import { collect, meanDifference, sweepLayers, directionAuroc, useBackend } from "@residua/analysis";
import { createClient } from "@residua/client";
import { createLens } from "@residua/lens";
import { startServer } from "@residua/local-server";
import { modelFolder, statementsAbout } from "@residua/tiny-model";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";

const { name } = await useBackend();
const server = await startServer({ model: modelFolder, modelId: "tiny" });
try {
  const client = createClient({ baseURL: server.url });
  const lens = createLens(client);

  const one = await lens.capture({
    model: "tiny",
    prompt: "The city of Paris is in Europe. Verdict:",
    layers: "all",
  });
  console.log(
    `${one.layers.length} layers × ${one.positions} positions × ${one.hiddenSize}, computed on ${name}`,
  );
  console.log(`the model says:${one.completion.choices[0]?.text}`);

  const statements = [
    ...statementsAbout({ split: "train" }).slice(0, 200),
    ...statementsAbout({ split: "heldOut" }),
  ];
  const examples = statements.map(({ prompt, group, truth, split }) => ({
    prompt,
    group,
    labels: { truth },
    split,
  }));
  const to = join(await mkdtemp(join(process.env["RESIDUA_RUNS"] ?? tmpdir(), "first-capture-")), "cities");
  const dataset = await collect(lens, examples, { model: "tiny", layers: "all", select: "last", to });

  const split = await dataset.column("split");
  const isTraining = (row: number) => split[row] === "train";
  const sweep = await sweepLayers(dataset, { label: "truth", where: isTraining });
  const { layer } = sweep.chosen;
  const direction = await meanDifference(dataset, { label: "truth", layer, where: isTraining });
  const auroc = await directionAuroc(dataset, direction, {
    label: "truth",
    where: (row) => !isTraining(row),
  });
  console.log(JSON.stringify({ layer, auroc: auroc.value, low: auroc.low, high: auroc.high }));
  await client.close();
} finally {
  await server.close();
}
