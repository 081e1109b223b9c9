import { allowedWords } from "../../options/allowed-words.ts";
import { optionIssue } from "../../options/check-options.ts";
import type { ProbeName } from "../../results/probe-name.ts";
import {
  probeContentSchema,
  type ProbeBias,
  type ProbeContent,
  type ProbeTask,
  type StoredThreshold,
  type TrainedProbeJSON,
} from "../../results/trained-probe.ts";
import { contentHash } from "../content-hash.ts";
import { deepFrozen } from "../deep-frozen.ts";
import type { Direction } from "../direction.ts";
import { ProbeError } from "../probe-error.ts";
import type { LabelValue } from "../sweep-rows.ts";
import { probeDirection, type ProbeDirectionOptions } from "./probe-direction.ts";
import type { ProbeScorer } from "./scorer.ts";
import { scorerOf } from "./scorer-of.ts";
import { checkThreshold } from "./stored-threshold.ts";

/** A probe as it was trained: frozen, saved and loaded bit for bit. `trainProbe` makes one, `loadProbe` reads one. */
export interface TrainedProbe {
  readonly name: ProbeName;
  readonly task: ProbeTask;
  /** Layer L is the output of decoder block L; null where the rows' layer was not told. */
  readonly layer: number | null;
  readonly width: number;
  readonly model: string | null;
  readonly formula: string;
  readonly bias: ProbeBias;
  readonly C: number | null;
  readonly label: string | null;
  /** Of two classes: the one of high scores. */
  readonly positive: LabelValue | null;
  /** Of more classes: the order of the score columns. */
  readonly classes: readonly LabelValue[] | null;
  readonly training: TrainedProbeJSON["training"];
  /** Scores above it are flagged by the scorers; null until `withThreshold` stores one. */
  readonly threshold: StoredThreshold | null;
  /**
   * Scores of `values` (`[rows, width]`, raw space): `[rows]`, or `[rows, classes]` of a probe of classes. Throws ProbeError
   * `wrong_width` and `not_finite`.
   */
  score(values: Float32Array): Float64Array;
  /** The scores (`[1]`, or `[classes]`) of all rows of one sequence together, of a probe that pools them itself; null of others. */
  readonly scoreSequence: ((values: Float32Array) => Float64Array) | null;
  /**
   * The raw-space weights, scaler folded in: adding the vector raises the score of `positive` (of `class`, of the number). Throws
   * ProbeError `no_direction` for a probe that has none.
   */
  direction(options?: ProbeDirectionOptions): Direction;
  /** The same probe with a threshold of two classes or a number stored. Throws ProbeError. */
  withThreshold(threshold: StoredThreshold): TrainedProbe;
  toJSON(): TrainedProbeJSON;
}

/** The probe of its data. Throws ProbeError `bad_probe` when they do not fit together. */
export function trainedProbe(data: TrainedProbeJSON): TrainedProbe {
  const { name, task, layer, width, model, formula, bias, C, label } = data;
  const positive = data.positive;
  // What is handed out cannot be changed either: the probe would flag by it, and save what no one could load.
  const [classes, training, threshold] = deepFrozen([data.classes, data.training, data.threshold] as const);
  const scorer = checkedScorer(data);
  return Object.freeze({
    ...{ name, task, layer, width, model, formula, bias, C, label, positive, classes, training, threshold },
    score(values) {
      refuseRows(values, width);
      return scorer.score(values);
    },
    scoreSequence: scorer.sequence
      ? (values) => {
          refuseRows(values, width);
          return scorer.sequence!(values);
        }
      : null,
    direction: (options = {}) => probeDirection(data, scorer, options),
    withThreshold: (given) => sealedProbe({ ...data, threshold: checkThreshold(given, data) }),
    toJSON: () => structuredClone(data),
  } satisfies TrainedProbe);
}

/** The probe of its content, sealed. Throws ProbeError `not_finite` where training came to numbers that are not. */
export function sealedProbe(content: ProbeContent): TrainedProbe {
  // Parsed, so that the fields stand in the order in which a reader will hash them.
  const parsed = probeContentSchema.safeParse(content, { error: allowedWords });
  if (parsed.success) return trainedProbe({ ...parsed.data, sha256: contentHash(parsed.data) });
  const { field, given, allowed } = optionIssue(parsed.error.issues[0]!, content);
  throw new ProbeError(
    "not_finite",
    `The probe ${content.name} came out with ${field} ${given}, where ${allowed} is needed: look for rows, weights or labels of extreme scale.`,
    { name: content.name, field },
  );
}

function checkedScorer(data: TrainedProbeJSON): ProbeScorer {
  const { task, width, classes, positive } = data;
  const scorer = scorerOf(data.scorer, width);
  const columns = task === "classes" ? (classes?.length ?? 0) : 1;
  const fault =
    typeof scorer === "string"
      ? scorer
      : scorer.columns !== columns
        ? `${scorer.columns} score columns where its task ${task} has ${columns}`
        : task === "binary" && positive === null
          ? "two classes and no positive one"
          : undefined;
  if (fault === undefined) return scorer as ProbeScorer;
  throw new ProbeError("bad_probe", `This is no trained probe: it has ${fault}.`, { name: data.name });
}

/**
 * Throws ProbeError `wrong_width` for numbers that are no whole rows, `not_finite` with the row for others. `numberOf`: what the row is
 * called, where `values` holds chosen rows alone.
 */
export function refuseRows(
  values: Float32Array,
  width: number,
  numberOf: (place: number) => number = (place) => place,
): void {
  if (!(values instanceof Float32Array) || values.length === 0 || values.length % width !== 0) {
    const given = values instanceof Float32Array ? `${values.length} numbers` : "what is no Float32Array";
    throw new ProbeError(
      "wrong_width",
      `A probe scores whole rows of its width ${width}, and was given ${given}.`,
      {
        width,
      },
    );
  }
  const at = values.findIndex((value) => !Number.isFinite(value));
  if (at < 0) return;
  const row = numberOf(Math.floor(at / width));
  throw new ProbeError(
    "not_finite",
    `Row ${row}, feature ${at % width} is ${values[at]}: probes need finite numbers.`,
    { row },
  );
}
