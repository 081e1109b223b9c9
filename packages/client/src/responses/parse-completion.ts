import type { Answer } from "../transport/send-request.ts";
import { checkCompletion } from "./check-completion.ts";
import { faultText } from "./check-shape.ts";
import { asCompletion, type Completion, type CompletionBody } from "./completion.ts";
import { fillUsage } from "./fill-usage.ts";

/** The completion that an answer holds. Throws APIError `unexpected_response` or `choices_mismatch`. */
export function parseCompletion(answer: Answer, shape: { prompts: number; n: number }): Completion {
  const fault = checkCompletion(answer.body);
  if (fault !== undefined) {
    throw answer.unexpected("unexpected_response", `the answer is not a completion: ${faultText(fault)}`);
  }
  const body = answer.body as CompletionBody;
  if (body.usage) body.usage = fillUsage(body.usage);
  const completion = asCompletion(body, shape);
  if (completion !== undefined) return completion;
  const came = body.choices.map(({ index }) => index).slice(0, 20);
  const message = `${shape.prompts} prompts × ${shape.n} choices asked, choices with index [${came.join(", ")}] came`;
  throw answer.unexpected("choices_mismatch", message);
}
