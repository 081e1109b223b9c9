import { createRandom, aurocMetric } from "@residua/analysis";
import * as z from "zod";
import { startPythonPeer } from "../python-peer.ts";
import type { Contest } from "../row.ts";

const groups = 1000;
const rowsOfGroup = 10;
const draws = 2000;
const loaded = z.object({ values: z.array(z.number()) });
const timed = z.object({ ms: z.number() });

/** Cluster bootstrap of one AUROC: both sides score the same redrawn groups. */
// eslint-disable-next-line @typescript-eslint/require-await
export async function aurocBootstrapContest(id: string): Promise<Contest> {
  const { scores, labels, unit } = groupedRows();
  const random = createRandom(0, "bench draws");
  // Which groups each draw takes, the same for both.
  const drawn = Array.from({ length: draws }, () =>
    Uint16Array.from({ length: groups }, () => random.below(groups)),
  );
  const values = new Float64Array(draws);
  const resample = () => {
    const prepared = aurocMetric.prepare({ scores, labels, unit });
    const times = new Uint32Array(groups);
    for (let draw = 0; draw < draws; draw++) {
      times.fill(0);
      for (const group of drawn[draw]!) times[group]! += 1;
      values[draw] = prepared.value(times)!;
    }
  };
  const peer = startPythonPeer("sklearn_auroc_bootstrap.py", ["scikit-learn==1.9.1", "numpy==2.4.6"]);
  return {
    id,
    work: `cluster bootstrap of an AUROC, ${draws} draws of ${groups} groups, n ${groups * rowsOfGroup}; equal values of each draw`,
    peerName: "NumPy and scikit-learn's roc_auc_score, a loop over draws",
    goal: 20,
    async checkEqual() {
      const message = {
        do: "load",
        scores: [...scores],
        labels: [...labels],
        groups,
        drawn: drawn.map((one) => [...one]),
      };
      const peers = loaded.parse(await peer.ask(message)).values;
      resample();
      values.forEach((value, draw) => {
        if (Math.abs(value - peers[draw]!) <= 1e-12) return;
        throw new Error(`draw ${draw}: AUROC ${value} against ${peers[draw]}`);
      });
    },
    // eslint-disable-next-line @typescript-eslint/require-await
    async ours() {
      const began = performance.now();
      resample();
      return performance.now() - began;
    },
    peer: async () => timed.parse(await peer.ask({ do: "resample" })).ms,
    close: () => peer.close(),
  };
}

/** Groups of ten rows with a common effect; scores of three decimals, so that some are tied. */
function groupedRows() {
  const random = createRandom(0, "bench rows");
  const n = groups * rowsOfGroup;
  const scores = new Float64Array(n);
  const labels = new Uint8Array(n);
  const unit = new Uint32Array(n);
  let effect = 0;
  for (let row = 0; row < n; row++) {
    unit[row] = Math.floor(row / rowsOfGroup);
    if (row % rowsOfGroup === 0) effect = random.gaussian();
    labels[row] = random.below(2);
    scores[row] = Math.round(1000 * (labels[row]! + effect + random.gaussian())) / 1000;
  }
  return { scores, labels, unit };
}
