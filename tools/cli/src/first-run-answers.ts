import { shareInterval, type ReportAnswers } from "@residua/analysis";
import type { Connection } from "./connect.ts";

/** A question whose answer is the next token: the index of the right one among the choices, and what it is about. */
export interface Question {
  readonly prompt: string;
  readonly right: number;
  readonly group: string;
}

/** How often the likeliest next token (temperature 0) is the right choice, and how often it is a choice at all. */
export async function askQuestions(
  { client, model }: Connection,
  asked: {
    title: string;
    questions: readonly Question[];
    choices: readonly string[];
    signal: AbortSignal;
  },
): Promise<ReportAnswers> {
  const { title, questions, choices, signal } = asked;
  const answers: string[] = [];
  const batch = 64;
  for (let at = 0; at < questions.length; at += batch) {
    const prompt = questions.slice(at, at + batch).map((question) => question.prompt);
    const completion = await client.completions.create(
      { model, prompt, max_tokens: 1, temperature: 0 },
      { signal },
    );
    answers.push(...completion.choices.map(({ text }) => text));
  }
  const groups = questions.map(({ group }) => group);
  const share = (hits: boolean[]) => shareInterval({ hits, groups });
  return {
    title,
    choices: [...choices],
    right: share(answers.map((answer, i) => answer === choices[questions[i]!.right])),
    valid: share(answers.map((answer) => choices.includes(answer))),
  };
}
