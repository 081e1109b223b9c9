import type { SteeredScale, SteeringEvaluation } from "../results/steering-evaluation.ts";

type Dose = SteeringEvaluation["dose"];

/** The curve as a whole: what it measures, whether it goes one way, and where damage begins on each side. */
export function doseSummary(scales: readonly SteeredScale[]): Dose {
  const metric = doseMetric(scales);
  const values = scales
    .filter(({ damage }) => damage.length === 0)
    .map(metric.of)
    .filter((value) => value !== null);
  return {
    metric: metric.name,
    monotone: values.length < 3 ? null : oneWay(values),
    firstDamage: { negative: firstDamage(scales, -1), positive: firstDamage(scales, 1) },
  };
}

function doseMetric(scales: readonly SteeredScale[]): {
  name: string;
  of: (scale: SteeredScale) => number | null;
} {
  const [first] = scales;
  // A net shift of a few prompts alone says nothing of the rest.
  if (scales.some(({ target }) => target !== null && 2 * (target.net.n ?? 0) > (target.shift.n ?? 0)))
    return { name: "net shift of the target, nats", of: ({ target }) => target?.net.value ?? null };
  if (first?.scorers[0]) {
    return {
      name: `change of the score ${first.scorers[0].name}`,
      of: ({ scorers }) => scorers[0]?.change.value ?? null,
    };
  }
  return {
    name: "share turned to the first choice, less that turned to the second",
    of: ({ toFirst, toSecond }) =>
      toFirst.value === null && toSecond.value === null ? null : (toFirst.value ?? 0) - (toSecond.value ?? 0),
  };
}

/** Null when nothing moves at all. */
function oneWay(values: readonly number[]): boolean | null {
  const steps = values.slice(1).map((value, i) => value - values[i]!);
  if (steps.every((step) => step === 0)) return null;
  return steps.every((step) => step >= 0) || steps.every((step) => step <= 0);
}

/** Going outward from 0: a scale beyond it that does no damage is luck, and no reason to go there. */
function firstDamage(scales: readonly SteeredScale[], side: 1 | -1): Dose["firstDamage"]["positive"] {
  const [first] = scales
    .filter(({ scale, damage }) => scale * side > 0 && damage.length > 0)
    .sort((a, b) => Math.abs(a.scale) - Math.abs(b.scale));
  return first ? { scale: first.scale, damage: first.damage } : null;
}
