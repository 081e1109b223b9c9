import { z } from "zod";
import { onBackend } from "../backend/use-backend.ts";
import { absent, drawSummary } from "../controls/draw-summary.ts";
import { counted } from "../plots/plot-format.ts";
import { checkOptions } from "../options/check-options.ts";
import { layerOf } from "../probes/checked-reads.ts";
import { differenceOfMeans } from "../probes/difference-of-means.ts";
import { oneStrength } from "../probes/one-strength.ts";
import type { Probe } from "../probes/probe.ts";
import { ProbeError } from "../probes/probe-error.ts";
import { probeMatrix } from "../probes/probe-matrix.ts";
import { rowChoiceSchema, type RowChoice } from "../probes/row-choice.ts";
import type { LabelValue, SweepDataset } from "../probes/sweep-rows.ts";
import type { DirectionStability } from "../results/direction-stability.ts";
import { labelValueSchema } from "../results/label-value.ts";
import { resultSchemaVersion } from "../results/result-version.ts";
import { fewGroups } from "../statistics/intervals/cluster-bootstrap.ts";
import { createRandom, randomName } from "../statistics/random.ts";
import { probeSchema } from "../sweep/sweep-options.ts";
import { sweepTarget, type SweepRows } from "../sweep/sweep-target.ts";
import { chanceCosine, cosineOf } from "./cosine-matrix.ts";

export interface DirectionStabilityOptions {
  label: string;
  positive?: LabelValue;
  /** Default: `group`, else `example` (one row each). */
  group?: string;
  layer: number;
  where?: RowChoice;
  /** Default: difference of means. */
  probe?: Probe;
  /** One of the probe's strengths, where it has several. */
  C?: number;
  /** Refits (default 100). */
  draws?: number;
  seed?: number;
}

const optionsSchema = z.strictObject({
  label: z.string().min(1),
  positive: labelValueSchema.optional(),
  group: z.string().min(1).optional(),
  layer: z.int().min(-1),
  where: rowChoiceSchema.optional(),
  probe: probeSchema.optional(),
  C: z.number().positive().optional(),
  draws: z.int().min(2).max(1e5).default(100),
  seed: z.number().default(0),
});

/**
 * How much of a direction is the sample's luck: refits on groups drawn with replacement, compared with the direction of all rows, and
 * refits on two disjoint halves of the groups, compared with each other.
 * Throws ProbeError on labels and groups as sweeps do, InvalidRequestError.
 */
export async function directionStability(
  dataset: SweepDataset,
  options: DirectionStabilityOptions,
): Promise<DirectionStability> {
  const checked = checkOptions(optionsSchema, options, "direction stability options");
  return await onBackend(() => measure(dataset, checked));
}

async function measure(
  dataset: SweepDataset,
  options: z.output<typeof optionsSchema>,
): Promise<DirectionStability> {
  const { label, layer, draws, seed, probe = differenceOfMeans() } = options;
  const rows = await sweepTarget(dataset, { ...options, probes: [probe] });
  if (rows.task === "classes") {
    throw new ProbeError(
      "bad_label",
      `Label ${label} has ${rows.columns} values: name one with positive, or choose two with where.`,
      {
        classes: rows.columns,
      },
    );
  }
  const C = oneStrength(probe, options.C);
  const values = await layerOf(dataset, layer);
  const fit = (picked: readonly number[]) => refit(values, dataset.hiddenSize, picked, { rows, probe, C });
  const everyRow = [...rows.labels.keys()];
  const full = await fit(everyRow);
  if (!full) throw new ProbeError("not_converged", `The probe ${probe.name} on all rows did not converge.`);
  const rowsOf = Array.from({ length: rows.groups }, (): number[] => []);
  for (const row of everyRow) rowsOf[rows.groupOf[row]!]!.push(row);
  const random = createRandom(seed, "direction stability");
  const toFull: (number | null)[] = [];
  const halves: (number | null)[] = [];
  for (let draw = 0; draw < draws; draw++) {
    const drawn = Array.from({ length: rows.groups }, () => rowsOf[random.below(rows.groups)]!).flat();
    const own = await fit(drawn);
    toFull.push(own && cosineOf(own, full).cosine);
    const dealt = random.shuffle([...rowsOf]);
    const middle = dealt.length >> 1;
    const [one, other] = [await fit(dealt.slice(0, middle).flat()), await fit(dealt.slice(middle).flat())];
    halves.push(one && other && cosineOf(one, other).cosine);
  }
  const reason = "every draw left one class, or a fit that did not converge";
  return {
    schemaVersion: resultSchemaVersion,
    kind: "direction-stability",
    label,
    layer,
    probe: probe.name,
    ...(C === undefined ? {} : { C }),
    ...{ seed, random: randomName, draws, n: rows.labels.length, groups: rows.groups },
    toFull: { ...drawSummary(toFull, reason), groups: rows.groups },
    halves:
      rows.groups < 4
        ? absent("two halves need at least four groups")
        : { ...drawSummary(halves, reason), groups: rows.groups },
    chance: chanceCosine(dataset.hiddenSize),
    notes: [
      ...rows.notes,
      ...(rows.groups < fewGroups
        ? [
            `Only ${counted(rows.groups, "group")}: redrawn groups are too much alike below about ${fewGroups}.`,
          ]
        : []),
    ],
  };
}

/** The direction of these rows (places among the kept ones; a row drawn twice stands twice); null where they are of one class or the fit did not converge. */
async function refit(
  values: Float32Array,
  width: number,
  picked: readonly number[],
  { rows, probe, C }: { rows: SweepRows; probe: Probe; C: number | undefined },
): Promise<Float64Array | null> {
  const labels = Float64Array.from(picked, (i) => rows.labels[i]!);
  if (labels.every((label) => label === labels[0])) return null;
  const own = new Float32Array(picked.length * width);
  picked.forEach((i, at) => {
    const row = rows.kept[i]!;
    own.set(values.subarray(row * width, (row + 1) * width), at * width);
  });
  const matrix = probeMatrix(own, width);
  try {
    const training = { included: new Uint8Array(picked.length).fill(1) };
    const [fit] = await probe.fitAt(matrix, [{ training, labels }], C);
    return fit!.converged ? fit!.weights : null;
  } finally {
    matrix.dispose();
  }
}
