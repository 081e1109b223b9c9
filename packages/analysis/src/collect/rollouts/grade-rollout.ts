import { type InvalidRequestError, ResiduaError } from "@residua/lens";
import { checkExamples } from "../../examples/example.ts";
import type { PlannedRollout } from "./rollout-plan.ts";
import type { RolloutSettings } from "./rollout-options.ts";
import { rolloutColumns } from "./check-rollout-examples.ts";
import { gradeLabels, gradeSchema, type Grade, type Sample } from "./rollout.ts";

/**
 * What the user's function says of a rollout. It gets copies: the ids that are captured are those that were sampled, whatever it does
 * to them. `extra` are the names of the examples' extra columns. An abort is not held up by a function that does not hear it. Throws
 * what the function throws, `bad_grade`, and the signal's reason.
 */
export async function gradeRollout(
  { example, index }: PlannedRollout,
  sample: Sample,
  { rollouts: { grade }, collect: { signal } }: Pick<RolloutSettings, "rollouts" | "collect">,
  extra: readonly string[],
): Promise<Grade> {
  signal?.throwIfAborted();
  const { text, promptText, promptIds, generatedIds, finishReason, seed, logprobs } = structuredClone(sample);
  const facts = { text, promptText, promptIds, generatedIds, finishReason, seed, logprobs };
  const rollout = { example: structuredClone(example), index, ...facts };
  const given = await unlessAborted(async () => grade(rollout, { signal }), signal);
  const parsed = gradeSchema.safeParse(given);
  if (!parsed.success)
    throw new ResiduaError(
      "bad_grade",
      `grade returned ${shown(given)}; allowed: a boolean, a finite number, a text, null, or an object of these by label name`,
    );
  checkLabels(parsed.data, extra);
  return parsed.data;
}

/** Labels that no dataset can have fail their rollout, not the run after all was sampled. Throws `bad_grade`. */
export function checkLabels(grade: Grade, extra: readonly string[]): void {
  const labels = gradeLabels(grade);
  const taken = [...rolloutColumns, ...extra].find((name) => Object.hasOwn(labels, name));
  if (taken !== undefined)
    throw new ResiduaError(
      "bad_grade",
      `grade named a label ${taken}, which is another column of rollouts; allowed: other names`,
    );
  try {
    // A label that no rollout has a value of is none; this one may have it in others.
    const some = Object.entries(labels).map(([name, value]) => [name, value ?? true] as const);
    checkExamples([{ prompt: [0], labels: Object.fromEntries(some) }]);
  } catch (error) {
    const { issues } = error as InvalidRequestError;
    const words = issues.map(({ given, allowed }) => `${given}; allowed: ${allowed}`);
    throw new ResiduaError("bad_grade", `grade gave labels that cannot be: ${words.join("; ")}`);
  }
}

async function unlessAborted<T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work();
  let abort = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason as Error);
    signal.addEventListener("abort", abort, { once: true });
  });
  try {
    return await Promise.race([work(), aborted]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/** Its kind, and of an object that of its labels. */
function shown(given: unknown): string {
  if (typeof given !== "object" || given === null) return kindOf(given);
  if (Array.isArray(given)) return "a list";
  if (Object.getPrototypeOf(given) !== Object.prototype) return "an object of a class";
  const labels = Object.entries(given).map(([name, value]) => `${JSON.stringify(name)}: ${kindOf(value)}`);
  return `{ ${labels.join(", ")} }`;
}

function kindOf(value: unknown): string {
  return typeof value === "number" ? String(value) : typeof value;
}
