import type { Answer } from "../transport/send-request.ts";
import { asCompletion, type Completion, completionSchema } from "./completion.ts";

/** The completion that an answer holds. Throws APIError `unexpected_response` or `choices_mismatch`. */
export function parseCompletion(answer: Answer, shape: { prompts: number; n: number }): Completion {
  const parsed = completionSchema.safeParse(answer.body);
  if (!parsed.success) {
    const at = parsed.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`).slice(0, 3);
    throw answer.unexpected("unexpected_response", `the answer is not a completion: ${at.join("; ")}`);
  }
  const completion = asCompletion(parsed.data, shape);
  if (completion !== undefined) return completion;
  const came = parsed.data.choices.map(({ index }) => index).slice(0, 20);
  const message = `${shape.prompts} prompts × ${shape.n} choices asked, choices with index [${came.join(", ")}] came`;
  throw answer.unexpected("choices_mismatch", message);
}
