import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { lda, probeMatrix, ridge, useBackend, type Probe, type ProbeColumn } from "@residua/analysis";
import * as z from "zod";
import { startPythonPeer } from "../python-peer.ts";
import type { Contest } from "../row.ts";
import { layerLikeRows } from "./layer-like-rows.ts";

const size = { rows: 2000, width: 4096 };
const folds = 5;
const lambdas = [1e-2, 1e-1, 1, 10, 100, 1e3, 1e4, 1e5];

interface LinearFits {
  what: "lda" | "ridge";
  backend: "wasm" | "native";
  goal: number;
}

/** Closed-form probes of one layer, on WebAssembly and on the native backend. */
export const linearContests: Readonly<Record<string, (id: string) => Promise<Contest>>> = {
  "analysis/lda": (id) => linearContest(id, { what: "lda", backend: "wasm", goal: 20 }),
  "analysis/lda-native": (id) => linearContest(id, { what: "lda", backend: "native", goal: 50 }),
  "analysis/ridge": (id) => linearContest(id, { what: "ridge", backend: "wasm", goal: 2 }),
  "analysis/ridge-native": (id) => linearContest(id, { what: "ridge", backend: "native", goal: 8 }),
};

const loaded = z.object({ weights: z.array(z.array(z.number())) });
const timed = z.object({ ms: z.number() });

/** LDA of all rows, or ridge regressions at every λ on the training rows of every fold, against scikit-learn's. */
async function linearContest(id: string, { what, backend, goal }: LinearFits): Promise<Contest> {
  const { name } = await useBackend({ prefer: backend });
  if (backend === "native" && !name.startsWith("node"))
    throw new Error(`${id} needs the native backend: residua backend install`);
  const { rows, width } = size;
  const { values, labels } = layerLikeRows({ ...size, seed: 0 });
  const foldOf = labels.map((_, row) => Math.floor(row / 2) % folds);
  const probe: Probe = what === "lda" ? lda() : ridge({ lambda: lambdas });
  const columns: ProbeColumn[] =
    what === "lda"
      ? [{ training: { included: new Uint8Array(rows).fill(1) }, labels }]
      : Array.from({ length: folds }, (_, fold) => ({
          training: { included: foldOf.map((of) => (of === fold ? 0 : 1)) },
          labels,
        }));
  const fit = async () => {
    const matrix = probeMatrix(values, width);
    try {
      return (await probe.fit(matrix, columns)).flat();
    } finally {
      matrix.dispose();
    }
  };
  const scratch = await mkdtemp(join(tmpdir(), "residua-bench-"));
  const file = join(scratch, "layer.f32");
  await writeFile(file, values);
  const threads = { OMP_NUM_THREADS: "2", OPENBLAS_NUM_THREADS: "2" };
  const peer = startPythonPeer("sklearn_linear.py", ["scikit-learn==1.9.1", "numpy==2.4.6"], threads);
  const text =
    what === "lda" ? "LDA with Ledoit–Wolf shrinkage" : `ridge, ${lambdas.length} λ × ${folds} folds`;
  return {
    id,
    work: `${text}, n ${rows}, d ${width}, on ${name}`,
    peerName:
      what === "lda" ? "scikit-learn lsqr, shrinkage auto, 2 threads" : "scikit-learn RidgeCV, 2 threads",
    goal,
    async checkEqual() {
      const plain = { labels: [...labels], folds: [...foldOf], lambdas, count: folds };
      const message = { do: "load", what, file, n: rows, d: width, ...plain };
      const { weights } = loaded.parse(await peer.ask(message));
      const fits = await fit();
      // Of ridge, every λ and every fold, but not all pairs.
      weights.forEach((own, k) => {
        const at = what === "lda" ? k : k * folds + (k % folds);
        refuseOther(fits[at]!.weights, own, at);
      });
    },
    async ours() {
      const began = performance.now();
      await fit();
      return performance.now() - began;
    },
    peer: async () => timed.parse(await peer.ask({ do: "fit", what })).ms,
    async close() {
      await peer.close();
      await rm(scratch, { recursive: true, force: true });
    },
  };
}

/** Coefficients must agree as vectors: in direction, and in length. */
function refuseOther(ours: Float64Array, theirs: readonly number[], column: number): void {
  let [between, own, other] = [0, 0, 0];
  ours.forEach((weight, j) => {
    between += weight * theirs[j]!;
    own += weight ** 2;
    other += theirs[j]! ** 2;
  });
  const cosine = between / Math.sqrt(own * other);
  const length = Math.sqrt(own / other);
  if (cosine >= 0.9999 && Math.abs(length - 1) <= 1e-4) return;
  throw new Error(`column ${column}: cosine ${cosine}, length ${length} of scikit-learn's weights`);
}
