import { readFile } from "node:fs/promises";
import { z } from "zod";
import { fileError } from "../../dataset/dataset-error.ts";
import { writeFileAtomic } from "../../files/file-atomic.ts";
import { allowedWords } from "../../options/allowed-words.ts";
import { checkOptions } from "../../options/check-options.ts";
import { checkPath } from "../../options/check-path.ts";
import { ProbeError } from "../../probes/probe-error.ts";
import { type Calibration, calibrationSchema } from "../../results/calibration.ts";
import { resultSchemaVersion } from "../../results/result-version.ts";
import { arraySchema, binaryLabels, finiteNumbers, refuseOtherLength } from "../checked-arrays.ts";
import { countClasses } from "../metrics/auroc.ts";
import { applyIsotonic, fitIsotonic } from "./isotonic.ts";
import { applyPlatt, fitPlatt } from "./platt.ts";

/**
 * Fits how scores become probabilities, on rows that took no part in fitting the probe and are not those that are judged. `"platt"`: a
 * logistic curve, for few rows; `"isotonic"`: any rising line, for a thousand rows or more. Throws ProbeError `one_class` when a class
 * has no row.
 */
export function fitCalibration(options: {
  scores: ArrayLike<number>;
  labels: ArrayLike<number | boolean>;
  method: Calibration["method"];
}): Calibration {
  const { method } = checkOptions(fitSchema, options, "fitCalibration");
  refuseOtherLength(options.labels, options.scores.length, "labels", "fitCalibration");
  const scores = finiteNumbers(options.scores, "score", "fitCalibration");
  const labels = binaryLabels(options.labels, "fitCalibration");
  const { positives, negatives } = countClasses(labels);
  if (positives === 0 || negatives === 0) {
    throw new ProbeError(
      "one_class",
      `A calibration needs rows of both classes: there are ${positives} positive and ${negatives} negative.`,
      { positives, negatives },
    );
  }
  const head = {
    schemaVersion: resultSchemaVersion,
    kind: "calibration",
    n: scores.length,
    positives,
  } as const;
  return method === "platt"
    ? { ...head, method, ...fitPlatt(scores, labels) }
    : { ...head, method, ...fitIsotonic(scores, labels) };
}

const fitSchema = z.strictObject({
  scores: arraySchema<number>("numbers"),
  labels: arraySchema<number | boolean>("labels"),
  method: z.enum(["platt", "isotonic"]),
});

/** The probability of each score. */
export function applyCalibration(calibration: Calibration, scores: ArrayLike<number>): Float64Array {
  const fit = calibrationFromJSON(calibration);
  const given = finiteNumbers(scores, "score", "applyCalibration");
  return given.map((score) => (fit.method === "platt" ? applyPlatt(fit, score) : applyIsotonic(fit, score)));
}

/** Reads a calibration from JSON; throws ProbeError `bad_calibration` naming the first fault. */
export function calibrationFromJSON(json: unknown): Calibration {
  const parsed = calibrationSchema.safeParse(json, { error: allowedWords });
  if (!parsed.success) {
    const issue = parsed.error.issues[0]!;
    throw badCalibration(`${issue.path.join(".") || "the document"}; allowed: ${issue.message}`);
  }
  const fit = parsed.data;
  if (fit.method === "isotonic") {
    const { scores, probabilities } = fit;
    if (scores.length !== probabilities.length)
      throw badCalibration(`${scores.length} scores and ${probabilities.length} probabilities`);
    const fall = scores.findIndex(
      (score, i) => i > 0 && (score <= scores[i - 1]! || probabilities[i]! < probabilities[i - 1]!),
    );
    if (fall > 0) throw badCalibration(`corner ${fall} does not rise`);
  }
  return fit;
}

function badCalibration(what: string): ProbeError {
  return new ProbeError("bad_calibration", `This is no calibration: ${what}.`);
}

/** Writes the calibration as JSON; what `loadCalibration` reads gives the same probabilities, bit for bit. */
export async function saveCalibration(path: string, calibration: Calibration): Promise<void> {
  const text = `${JSON.stringify(calibrationFromJSON(calibration))}\n`;
  await writeFileAtomic(path, [new TextEncoder().encode(text)]);
}

/** Throws DatasetError on a file that cannot be read, ProbeError `bad_calibration` on one that holds something else. */
export async function loadCalibration(path: string): Promise<Calibration> {
  checkPath(path, "path");
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    throw fileError(error, path, "read");
  });
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw badCalibration(`${path} is not JSON`);
  }
  return calibrationFromJSON(json);
}
