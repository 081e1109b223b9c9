import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  createRandom,
  fitLayers,
  logistic,
  useBackend,
  type LayerFits,
  type ProbeColumn,
} from "@residua/analysis";
import * as z from "zod";
import { startPythonPeer } from "../python-peer.ts";
import type { Contest } from "../row.ts";
import { layerLikeRows } from "./layer-like-rows.ts";

/** What is fitted: logistic probes of standardised features, at every C, on all layers, label sets and folds. */
interface LogisticFits {
  backend: "wasm" | "native";
  work: string;
  goal: number | null;
  layers: number;
  rows: number;
  width: number;
  C: readonly number[];
  /** One fit of all rows where there is one. */
  folds: number;
  /** Label shuffles instead of the labels themselves. */
  shuffles?: number;
  /** Threads that scikit-learn's BLAS is given, in as many processes as make two in all. */
  peerThreads: 1 | 2;
}

const references = fileURLToPath(new URL("../../../../.cache/bench-references/", import.meta.url));
const converged = z.object({ objectives: z.array(z.array(z.number())) });
const timed = z.object({ ms: z.number() });

/** Many logistic fits against scikit-learn's, which must have converged to the same objectives. */
export async function logisticFitsContest(id: string, settings: LogisticFits): Promise<Contest> {
  const { backend, work, goal, rows, width, C, folds, shuffles = 0, peerThreads } = settings;
  const { name } = await useBackend({ prefer: backend });
  if (backend === "native" && !name.startsWith("node"))
    throw new Error(`${id} needs the native backend: residua backend install`);
  const scratch = await mkdtemp(join(tmpdir(), "residua-bench-"));
  const layers = Array.from({ length: settings.layers }, (_, seed) => layerLikeRows({ rows, width, seed }));
  const files = layers.map((_, layer) => join(scratch, `${layer}.f32`));
  for (const [layer, { values }] of layers.entries()) await writeFile(files[layer]!, values);
  const { labels } = layers[0]!;
  const random = createRandom(0, "bench shuffles");
  const sets =
    shuffles === 0 ? [labels] : Array.from({ length: shuffles }, () => random.shuffle(labels.slice()));
  const foldOf = labels.map((_, row) => (folds === 1 ? 1 : Math.floor(row / 2) % folds));
  const trainings = Array.from({ length: folds }, (_, fold) => ({
    included: foldOf.map((of) => (of === fold ? 0 : 1)),
  }));
  const columns: ProbeColumn[] = sets.flatMap((own) =>
    trainings.map((training) => ({ training, labels: own })),
  );
  const dataset = {
    rows,
    hiddenSize: width,
    layers: [...layers.keys()],
    layer: (layer: number) => Promise.resolve(layers[layer]!.values),
  };
  const fit = async () => {
    const fitted: LayerFits[] = [];
    for await (const layer of fitLayers(dataset, { probe: logistic({ C }), columns })) fitted.push(layer);
    return fitted;
  };
  const threads = { OMP_NUM_THREADS: String(peerThreads), OPENBLAS_NUM_THREADS: String(peerThreads) };
  const peer = startPythonPeer("sklearn_logistic.py", ["scikit-learn==1.9.1", "numpy==2.4.6"], threads);
  return {
    id,
    work: `${work}, on ${name}`,
    peerName: `scikit-learn lbfgs, ${peerThreads === 1 ? "2 processes of 1 thread" : "1 process of 2 threads"}`,
    goal,
    async checkEqual() {
      const message = {
        do: "load",
        n: rows,
        d: width,
        sets: sets.map((own) => [...own]),
        folds: [...foldOf],
        cs: C,
        count: folds,
        jobs: 2 / peerThreads,
      };
      await peer.ask({ ...message, files });
      const { objectives } = await kept({ message, layers: layers.map(({ values }) => values) }, () =>
        peer.ask({ do: "converge" }).then((answer) => converged.parse(answer)),
      );
      const fitted = await fit();
      const ours = fitted.flatMap(({ fits }) =>
        columns.map((_, k) => fits.map((column) => column[k]!.objective!)),
      );
      ours.forEach((own, k) =>
        own.forEach((objective, c) => refuseOther(objective, objectives[k]![c]!, `column ${k}, C ${C[c]}`)),
      );
    },
    async ours() {
      const began = performance.now();
      await fit();
      return performance.now() - began;
    },
    peer: async () => timed.parse(await peer.ask({ do: "fit" })).ms,
    async close() {
      await peer.close();
      await rm(scratch, { recursive: true, force: true });
    },
  };
}

/** Converged references take minutes: kept by what they are of, and read again. */
async function kept(
  { message, layers }: { message: object; layers: readonly Float32Array[] },
  converge: () => Promise<z.infer<typeof converged>>,
): Promise<z.infer<typeof converged>> {
  const script = await readFile(new URL("../../peers/sklearn_logistic.py", import.meta.url));
  const hash = createHash("sha256").update(script).update(JSON.stringify(message));
  for (const values of layers) hash.update(values);
  const file = join(references, `${hash.digest("hex").slice(0, 24)}.json`);
  const known = await readFile(file, "utf8").catch(() => undefined);
  if (known !== undefined) return converged.parse(JSON.parse(known));
  const found = await converge();
  await mkdir(references, { recursive: true });
  await writeFile(file, JSON.stringify(found));
  return found;
}

function refuseOther(objective: number, reference: number, what: string): void {
  const excess = (objective - reference) / reference;
  if (Math.abs(excess) <= 1e-5) return;
  throw new Error(
    `${what}: objective ${objective} against ${reference} (${excess.toExponential(1)} relative)`,
  );
}
