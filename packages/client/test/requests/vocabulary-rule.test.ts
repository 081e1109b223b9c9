import { expect, it } from "vitest";
import { between } from "../../src/requests/rules/count.ts";
import type { RequestFacts } from "../../src/requests/rules/request-facts.ts";
import { issueOf } from "../../src/requests/rules/request-rule.ts";
import { largestPromptId, vocabularyRule } from "../../src/requests/rules/shared-rules.ts";

it.each([
  ["known", 900, "token ids 0 to 899"],
  [
    "of which is known that the server has no id 900",
    0,
    "token ids that the model has: the server has no id 900",
  ],
])("a token id that a vocabulary %s lacks is refused in plain words", (_, least, allowed) => {
  const rule = vocabularyRule("prompt", largestPromptId);
  const facts = {
    request: { prompt: [1, 900] },
    vocabularySize: () => between(least, 900, "tokens", ""),
  } as unknown as RequestFacts;
  const issue = issueOf(rule, rule.measure(facts)!);
  expect(issue).toMatchObject({
    field: "prompt[1]",
    given: "token id 900",
    allowed,
  });
});
