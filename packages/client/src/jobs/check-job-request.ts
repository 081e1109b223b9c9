import { checkRequest } from "../requests/check-request.ts";
import { type CompletionRequest, promptCount } from "../requests/completion-request.ts";
import { InvalidRequestError, type RequestIssue } from "../requests/invalid-request-error.ts";

/** The request of a job as it is sent; a job takes fewer choices and a narrower temperature, and is never streamed. */
export function checkJobRequest(request: CompletionRequest): CompletionRequest {
  const issues: RequestIssue[] = [];
  const { stream, temperature, n = 1 } = request;
  if (stream === true || request.stream_options !== undefined) {
    const field = stream === true ? "stream" : "stream_options";
    const hint = "a completion job is never streamed; stream with completions.create";
    issues.push({ field, given: "set", allowed: "left out", hint });
  }
  const checked = issues.length > 0 ? request : checkRequest(request);
  if (temperature !== undefined && temperature > 2)
    issues.push({ field: "temperature", given: String(temperature), allowed: "a number from 0 to 2" });
  const choices = promptCount(request.prompt) * n;
  if (choices > 128) {
    const given = `${promptCount(request.prompt)} prompts × ${n} choices = ${choices}, over the 128 choices a job may have`;
    issues.push({ field: "n", given, allowed: "prompts × n at most 128" });
  }
  if (issues.length > 0) throw new InvalidRequestError(issues, "completion job");
  return checked;
}
