import { ResiduaError } from "@residua/lens";
import { failureOf, type CollectFailure } from "../collect-failure.ts";
import { checkLabels } from "./grade-rollout.ts";
import type { PlannedRollout } from "./rollout-plan.ts";
import { gradeLabels, type Grade } from "./rollout.ts";

type Kind = "boolean" | "number" | "string";
const kindWords: Readonly<Record<Kind, string>> = {
  boolean: "a boolean",
  number: "a number",
  string: "a text",
};

/**
 * Takes the grades away whose label is of another type than the examples have it, or of a label that they have not, than most rollouts
 * give it (of as many, than the first one): a column has one type. They are failures of their rollouts, by place, and graded again by the next call.
 */
export function takeMixedGrades(
  rollouts: readonly PlannedRollout[],
  grades: Map<string, Grade>,
): Map<number, CollectFailure> {
  const graded = rollouts.map(({ gradeKey }) => gradeLabels(grades.get(gradeKey) ?? null));
  const counts = new Map<string, Map<Kind, number>>();
  for (const labels of graded) {
    for (const [name, kind] of kindsOf(labels)) {
      const ofName = counts.get(name) ?? new Map<Kind, number>();
      counts.set(name, ofName);
      ofName.set(kind, (ofName.get(kind) ?? 0) + 1);
    }
  }
  const own = new Map(rollouts.flatMap(({ example }) => kindsOf(example.labels)));
  const usual = new Map(
    [...counts].map(([name, kinds]) => [
      name,
      own.get(name) ?? [...kinds].sort((a, b) => b[1] - a[1])[0]?.[0],
    ]),
  );
  const failures = new Map<number, CollectFailure>();
  for (const [place, { id, gradeKey }] of rollouts.entries()) {
    const odd = kindsOf(graded[place] ?? {}).find(([name, kind]) => kind !== usual.get(name));
    if (odd === undefined) continue;
    const [name, kind] = odd;
    const most = kindWords[usual.get(name) as Kind];
    const error = new ResiduaError(
      "bad_grade",
      `grade gave ${kindWords[kind]} for the label ${name}, ` +
        (own.has(name) ? `and the examples have ${most}` : `and ${most} for most rollouts`) +
        "; allowed: one type a label",
    );
    failures.set(place, failureOf(error, { example: id, index: place, contentHash: null, stage: "grade" }));
    grades.delete(gradeKey);
  }
  return failures;
}

/** Takes the grades away that no rollout of these examples can have. They are graded again. */
export function takeMisfits(
  rollouts: readonly PlannedRollout[],
  grades: Map<string, Grade>,
  extra: readonly string[],
): void {
  for (const { gradeKey } of rollouts) {
    const grade = grades.get(gradeKey);
    if (grade !== undefined && !fits(grade, extra)) grades.delete(gradeKey);
  }
}

function fits(grade: Grade, extra: readonly string[]): boolean {
  try {
    checkLabels(grade, extra);
    return true;
  } catch {
    return false;
  }
}

function kindsOf(labels: Readonly<Record<string, unknown>>): [string, Kind][] {
  return Object.entries(labels).flatMap(([name, value]) =>
    value === null ? [] : [[name, typeof value as Kind] as [string, Kind]],
  );
}
