import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRandom, logistic, probeMatrix, useBackend, type ProbeColumn } from "@residua/analysis";
import * as z from "zod";
import { startPythonPeer } from "../python-peer.ts";
import type { Contest } from "../row.ts";

const rows = 1496;
const width = 896;
const folds = 5;
const cs = [1e-4, 1e-3, 1e-2, 1e-1, 1, 3, 10, 100];
const loaded = z.object({ objectives: z.array(z.array(z.number())) });
const timed = z.object({ ms: z.number() });

/** One layer of a sweep: 5 folds × 8 values of C, each fold standardised on its training rows. */
export async function logisticLayerContest(id: string): Promise<Contest> {
  const scratch = await mkdtemp(join(tmpdir(), "residua-bench-"));
  const { name } = await useBackend();
  const { values, labels, foldOf } = layerLikeRows();
  const columns: ProbeColumn[] = Array.from({ length: folds }, (_, fold) => ({
    training: { included: Uint8Array.from(foldOf, (of) => (of === fold ? 0 : 1)) },
    labels,
  }));
  const fit = async () => {
    const matrix = probeMatrix(values, width);
    try {
      return await logistic({ C: cs }).fit(matrix, columns);
    } finally {
      matrix.dispose();
    }
  };
  const peer = startPythonPeer("sklearn_logistic.py", ["scikit-learn==1.9.1", "numpy==2.4.6"]);
  const file = join(scratch, "layer.f32");
  await writeFile(file, values);
  return {
    id,
    work: `${folds * cs.length} logistic fits of one layer (${folds} folds × ${cs.length} C), n ${rows}, d ${width}, on ${name}`,
    peerName: "scikit-learn lbfgs, 2 processes",
    goal: null,
    async checkEqual() {
      const message = {
        do: "load",
        file,
        n: rows,
        d: width,
        labels: [...labels],
        folds: [...foldOf],
        cs,
        count: folds,
      };
      const { objectives } = loaded.parse(await peer.ask(message));
      const fits = await fit();
      fits.forEach((column, c) =>
        column.forEach(({ objective }, fold) => {
          const converged = objectives[fold]![c]!;
          const excess = (objective! - converged) / converged;
          if (!(Math.abs(excess) <= 1e-5)) {
            throw new Error(
              `fold ${fold}, C ${cs[c]}: objective ${objective} against ${converged} (${excess.toExponential(1)} relative)`,
            );
          }
        }),
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

/** Rows with what a residual stream has: a few strong common factors, noise, three massive features, and a label along one direction. */
function layerLikeRows() {
  const random = createRandom(0, "bench");
  const rank = 64;
  const factors = Float32Array.from({ length: rank * width }, () => random.gaussian());
  const values = new Float32Array(rows * width);
  const labels = new Uint8Array(rows);
  const foldOf = new Uint8Array(rows);
  for (let row = 0; row < rows; row++) {
    labels[row] = row % 2;
    foldOf[row] = Math.floor(row / 2) % folds;
    const loads = Array.from(
      { length: rank },
      (_, k) => random.gaussian() / (1 + k / 8) + (k === 3 ? labels[row]! : 0),
    );
    for (let j = 0; j < width; j++) {
      let value = random.gaussian();
      for (let k = 0; k < rank; k++) value += loads[k]! * factors[k * width + j]!;
      values[row * width + j] = j % 300 === 7 ? 40 + 10 * value : value;
    }
  }
  return { values, labels, foldOf };
}
