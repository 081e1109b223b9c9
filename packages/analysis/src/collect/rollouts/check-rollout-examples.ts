import type { RequestIssue } from "@residua/lens";
import {
  checkExamples,
  invalidExamples,
  type CheckedExamples,
  type Example,
} from "../../examples/example.ts";

/** Columns that rollouts have beside those of their examples. */
export const rolloutColumns = ["source", "rollout", "seed", "finish_reason", "logprob"] as const;

/** Checks a list of examples, before anything of them is sampled. Throws InvalidRequestError. */
export function checkRolloutExamples(given: readonly Example[]): CheckedExamples {
  const checked = checkExamples(given);
  const issues = (["labels", "extra"] as const).flatMap((part) =>
    rolloutColumns
      .filter((name) => Object.hasOwn(checked[part], name))
      .map((name): RequestIssue => ({
        field: `examples[*].${part}.${name}`,
        given: "a column that rollouts have",
        allowed: `names other than ${rolloutColumns.join(", ")}`,
      })),
  );
  if (issues.length > 0) throw invalidExamples(issues);
  return checked;
}
