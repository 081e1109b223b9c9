import { ResiduaError } from "@residua/lens";
import type { PlannedRollout } from "./rollout-plan.ts";
import type { RolloutSettings } from "./rollout-options.ts";
import { gradeSchema, type Grade, type Sample } from "./rollout.ts";

/**
 * What the user's function says of a rollout. It gets copies: the ids that are captured are those that were sampled, whatever it does
 * to them. An abort is not held up by a function that does not hear it. Throws what the function throws, `bad_grade`, and the
 * signal's reason.
 */
export async function gradeRollout(
  { example, index }: PlannedRollout,
  sample: Sample,
  { rollouts: { grade }, collect: { signal } }: Pick<RolloutSettings, "rollouts" | "collect">,
): Promise<Grade> {
  signal?.throwIfAborted();
  const { text, promptText, promptIds, generatedIds, finishReason, seed, logprobs } = structuredClone(sample);
  const facts = { text, promptText, promptIds, generatedIds, finishReason, seed, logprobs };
  const rollout = { example: structuredClone(example), index, ...facts };
  const given = await unlessAborted(async () => grade(rollout, { signal }), signal);
  const parsed = gradeSchema.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new ResiduaError(
    "bad_grade",
    `grade returned ${shown(given)}; allowed: a boolean, a finite number, a text, null, or an object of these by label name`,
  );
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
