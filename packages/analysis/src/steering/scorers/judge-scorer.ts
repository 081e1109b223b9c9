import type { Lens } from "@residua/lens";
import { z } from "zod";
import { checkOptions } from "../../options/check-options.ts";
import { choiceLogprob, readAnswer } from "../steering-answer.ts";
import type { ScoredText, SteeringScorer } from "./steering-scorer.ts";

export interface JudgeOptions {
  name?: string;
  /** Who judges: it is not steered. */
  lens: Pick<Lens, "generate">;
  model?: string;
  /** What the judge is asked, with `{text}` (the generated text) and perhaps `{prompt}` in it. Its next token is the verdict. */
  template: string;
  /** The verdicts, as token texts. */
  yes: string;
  no: string;
}

const optionsSchema = z
  .strictObject({
    name: z.string().min(1).default("judge"),
    lens: z.custom<JudgeOptions["lens"]>(
      (value) => typeof (Object(value) as { generate?: unknown }).generate === "function",
      "a lens",
    ),
    model: z.string().min(1).optional(),
    template: z.string().refine((text) => text.includes("{text}"), "a text with {text} in it"),
    yes: z.string().min(1),
    no: z.string().min(1),
  })
  .refine(({ yes, no }) => yes.trim() !== no.trim(), {
    error: "another word than yes",
    path: ["no"],
  });

/**
 * Another completion as the judge: p(yes) / (p(yes) + p(no)) of the token after the template, among its 20 likeliest; one that is not among them
 * counts as 0, and where neither is, there is no score. Prompts of token ids cannot stand in a template: their `{prompt}` is empty. Throws
 * InvalidRequestError; its score fails with what the lens throws.
 */
export function judgeScorer(options: JudgeOptions): SteeringScorer {
  const { name, lens, model, template, yes, no } = checkOptions(optionsSchema, options, "judgeScorer");
  return {
    name,
    kind: "judge",
    method: `p(${JSON.stringify(yes)}) against ${JSON.stringify(no)} after ${JSON.stringify(template)}`,
    async score(scored, { signal }) {
      const prompt = filled(template, scored);
      const completion = await lens.generate(
        { ...(model === undefined ? {} : { model }), prompt, max_tokens: 1, temperature: 0, logprobs: 20 },
        { signal },
      );
      const answer = readAnswer(completion);
      const [first, second] = [yes, no].map((word) => Math.exp(choiceLogprob(answer, word) ?? -Infinity));
      return first! + second! > 0 ? first! / (first! + second!) : null;
    },
  };
}

/** In one pass, so that a `{prompt}` in a generated text stays what it is. */
function filled(template: string, { text, prompt }: ScoredText): string {
  const parts: Readonly<Record<string, string>> = { text, prompt: typeof prompt === "string" ? prompt : "" };
  return template.replace(/\{(text|prompt)\}/g, (_, name: string) => parts[name]!);
}
