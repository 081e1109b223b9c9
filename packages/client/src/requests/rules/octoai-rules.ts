import { sources } from "../fields/sources.ts";
import { contextRule } from "./context-rule.ts";
import { count } from "./count.ts";
import type { RequestRule } from "./request-rule.ts";
import { largestBiasedId, largestPromptId, streamOptionsRule, vocabularyRule } from "./shared-rules.ts";

export const octoaiRules: readonly RequestRule[] = [
  {
    name: "best_of_at_least_n",
    formula: "n",
    limit: "best_of",
    allows: "sequences of best_of",
    source: sources.octoai,
    field: "best_of",
    hint: "set best_of to n or more, or leave it out",
    measure: ({ request, n }) =>
      request.best_of === undefined
        ? undefined
        : { value: count(n, "choices"), limit: count(request.best_of, "sequences") },
  },
  streamOptionsRule(sources.octoaiSDK),
  contextRule(sources.octoai),
  vocabularyRule("prompt", largestPromptId),
  vocabularyRule("logit_bias", largestBiasedId),
];
