import type { ExampleValue } from "../../examples/example-columns.ts";
import { checkExamples, type CheckedExamples } from "../../examples/example.ts";
import type { PlannedExample, RolloutFacts } from "../dataset-plan.ts";
import type { RolloutJournal } from "./rollout-journal.ts";
import type { PlannedRollout } from "./rollout-plan.ts";
import { gradeLabels, type Sample } from "./rollout.ts";

/** Of a rollout that could not be sampled or graded nothing is sent. */
const nothing = [0];

/**
 * The rollouts as examples: their prompt is the ids that were sampled, their group that of their example, their labels those of the
 * example and of the grade; a value of the grade takes the place of the example's, null or none leaves it. Throws InvalidRequestError where a grade's labels do not fit together or with the example's.
 */
export function rolloutExamples(
  rollouts: readonly PlannedRollout[],
  { samples, grades }: Pick<RolloutJournal, "samples" | "grades">,
): CheckedExamples & { examples: PlannedExample[] } {
  const graded = rollouts.map(({ gradeKey }) => gradeLabels(grades.get(gradeKey) ?? null));
  const none = Object.fromEntries(
    graded.flatMap((labels) => Object.keys(valued(labels)).map((name) => [name, null])),
  );
  const checked = checkExamples(
    rollouts.map(({ id, example, index, seed, key }, i) => {
      const sample = samples.get(key);
      return {
        id,
        prompt: sample ? [...sample.promptIds, ...sample.generatedIds] : nothing,
        group: example.group,
        labels: { ...none, ...example.labels, ...valued(graded[i] ?? {}) },
        ...(example.split !== null && { split: example.split }),
        extra: { ...example.extra, ...extraOf(sample, { source: example.id, rollout: index, seed }) },
      };
    }),
  );
  const examples = checked.examples.map((one, i): PlannedExample => {
    const { key, example, gradeKey } = rollouts[i] as PlannedRollout;
    const madeOf = [key, gradeKey, example.group, example.split];
    const sample = samples.get(key);
    return sample ? { ...one, ...sampled(sample), madeOf } : { ...one, madeOf };
  });
  // A label of a grade, or a finish reason, may be missing in one run and there in the next: the columns stay the same.
  const nullable = [...Object.keys(checked.labels), ...Object.keys(checked.extra)].sort();
  return { ...checked, examples, nullable };
}

/** Those that have a value: labels that no rollout has one of are no labels. */
function valued(labels: Readonly<Record<string, ExampleValue>>): Record<string, ExampleValue> {
  return Object.fromEntries(Object.entries(labels).filter(([, value]) => value !== null));
}

function extraOf(
  sample: Sample | undefined,
  extra: Record<string, ExampleValue>,
): Record<string, ExampleValue> {
  if (sample === undefined) return extra;
  const { finishReason, logprobs } = sample;
  const logprob = logprobs && { logprob: logprobs.reduce((sum, one) => sum + one, 0) };
  return { ...extra, ...(finishReason !== null && { finish_reason: finishReason }), ...logprob };
}

function sampled({ promptIds, generatedIds, promptText, text, spans }: Sample): RolloutFacts {
  const start = promptIds.length;
  // What is generated after the header of an answer is that answer's content.
  const message = spans?.at(-1)?.message;
  const answer = { role: "assistant", part: "content", start, end: start + generatedIds.length } as const;
  return {
    promptLength: start,
    generatedText: text,
    text: promptText === null ? null : promptText + text,
    ...(spans && { spans: [...spans, ...(message === undefined ? [] : [{ message, ...answer }])] }),
  };
}
