import { expect, test } from "vitest";
import { choiceDifference, controlTokens, readAnswer } from "../../src/steering/steering-answer.ts";

type Completion = Parameters<typeof readAnswer>[0];
const completion = (text: string, top?: Record<string, number>) =>
  ({
    model: "m",
    choices: [
      {
        index: 0,
        text,
        ...(top ? { logprobs: { tokens: [text], token_logprobs: [0], top_logprobs: [top] } } : {}),
      },
    ],
  }) as unknown as Completion;
const choices = [" true", " false"] as const;

test("an answer is a choice up to space, and nothing else is", () => {
  expect(readAnswer(completion(" true"), choices).choice).toBe(0);
  expect(readAnswer(completion("false\n"), choices).choice).toBe(1);
  for (const other of [" truth", "", " True", " true false"])
    expect(readAnswer(completion(other), choices).choice).toBeNull();
});

test("the exact token counts before one that differs in space", () => {
  const answer = readAnswer(
    completion(" true", { " true": -1, true: -0.5, false: -2, "false ": -3 }),
    choices,
  );
  expect(choiceDifference(answer, choices)).toBe(-1 - -2);
});

test("a choice that is not among the likeliest leaves the difference undefined", () => {
  expect(
    choiceDifference(readAnswer(completion(" true", { " true": -1 }), choices), choices),
  ).toBeUndefined();
  expect(choiceDifference(readAnswer(completion(" true"), choices), choices)).toBeUndefined();
});

test("control tokens are the nearest in log probability, two different ones, never a choice", () => {
  const top = { " true": -1, true: -1.1, " false": -1.4, a: -1.3, b: -2, c: -9 };
  expect(controlTokens(readAnswer(completion(" true", top), choices), choices)).toEqual(["a", "b"]);
  const few = { " true": -1, " false": -1.4, a: -1.3 };
  expect(controlTokens(readAnswer(completion(" true", few), choices), choices)).toBeUndefined();
});

test("the difference after steering is of the tokens that spelled the choices before", () => {
  const before = readAnswer(completion(" true", { true: -3, " true": -0.2, " false": -2 }));
  const now = readAnswer(completion(" true", { " true": -0.1, " false": -2.5 }));
  expect(choiceDifference(before, ["true", "false"])).toBe(-1);
  expect(choiceDifference(now, ["true", "false"], before)).toBeUndefined();
  expect(choiceDifference(now, [" true", "false"], before)).toBeCloseTo(2.4, 12);
});
