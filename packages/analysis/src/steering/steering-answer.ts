import type { Completion } from "@residua/lens";
import { ProbeError } from "../probes/probe-error.ts";

/** What a prompt was answered: which choice, if any, and the log probabilities of the likeliest next tokens. */
export interface SteeringAnswer {
  /** Index of the choice; null when the answer is none of them. */
  choice: 0 | 1 | null;
  /** By token text; empty where none were asked for. */
  top: ReadonlyMap<string, number>;
}

/** The greedy next token as an answer. Space around a choice does not count: " true" and "true" are one answer. */
export function readAnswer(completion: Completion, choices?: readonly [string, string]): SteeringAnswer {
  const [first] = completion.choices;
  if (!first) throw new ProbeError("bad_answer", "The server sent a completion without choices.");
  const answer = spelling(first.text);
  const place = choices ? choices.findIndex((choice) => spelling(choice) === answer) : -1;
  const top = new Map(Object.entries(first.logprobs?.top_logprobs?.[0] ?? {}));
  return { choice: place === 0 || place === 1 ? place : null, top };
}

/** A token's text without the space around it. */
export function spelling(text: string): string {
  return text.trim();
}

/**
 * log p(choices[0]) − log p(choices[1]); undefined when one of them is not among the likeliest tokens. Which tokens spell them is read off `at`: the
 * baseline, so that no other spelling stands in for a token that left the likeliest.
 */
export function choiceDifference(
  { top }: SteeringAnswer,
  choices: readonly [string, string],
  at: SteeringAnswer = { choice: null, top },
): number | undefined {
  const [first, second] = spelledTokens(at, choices).map((token) => top.get(token));
  return first === undefined || second === undefined ? undefined : first - second;
}

/** The log probability of the token that spells the choice, by `spelledTokens`. */
export function choiceLogprob(answer: SteeringAnswer, choice: string): number | undefined {
  return answer.top.get(spelledTokens(answer, [choice])[0]!);
}

/**
 * The tokens of these texts, each once: the text itself where it is among the likeliest, else the likeliest other token that spells it up
 * to space and is none of the texts, else the text.
 */
export function spelledTokens({ top }: SteeringAnswer, texts: readonly string[]): string[] {
  const given = new Set(texts);
  const alike = (text: string) =>
    [...top]
      .filter(([token]) => !given.has(token) && spelling(token) === spelling(text))
      .sort((a, b) => b[1] - a[1])[0]?.[0];
  return [...new Set([...given].map((text) => (top.has(text) ? text : (alike(text) ?? text))))];
}

/**
 * Two other tokens, each about as likely as its choice at scale 0: what moves them too is no effect on the choices.
 * Undefined when there are not two.
 */
export function controlTokens(
  baseline: SteeringAnswer,
  choices: readonly [string, string],
): readonly [string, string] | undefined {
  const spelled = new Set(choices.map(spelling));
  const others = [...baseline.top].filter(([token]) => !spelled.has(spelling(token)));
  const picked: string[] = [];
  for (const choice of choices) {
    const target = choiceLogprob(baseline, choice);
    if (target === undefined) return undefined;
    const distance = ([, logprob]: [string, number]) => Math.abs(logprob - target);
    const free = others
      .filter(([token]) => !picked.includes(token))
      .sort((a, b) => distance(a) - distance(b));
    if (!free[0]) return undefined;
    picked.push(free[0][0]);
  }
  return [picked[0]!, picked[1]!];
}
