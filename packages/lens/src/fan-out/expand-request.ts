import { InvalidRequestError, type RequestIssue } from "@residua/client";

/** A request as it was given: of one or of several prompts and choices. */
export interface ListRequest {
  prompt: unknown;
  n?: unknown;
  seed?: unknown;
  temperature?: unknown;
  [field: string]: unknown;
}

/** One choice of one prompt, as the request that asks for it alone. */
export interface Single {
  prompt: number;
  choice: number;
  request: ListRequest;
}

/** How many prompts, and how many choices of each, a request asks for. */
export interface ListShape {
  prompts: readonly unknown[];
  n: number;
}

/** Whether a request is to be sent as several. What is no request is not. */
export function fansOut(request: Pick<ListRequest, "prompt" | "n"> | null | undefined): boolean {
  const { prompt, n } = request ?? {};
  return isList(prompt) || (n ?? undefined) !== undefined;
}

/** `temperature` is what a request without one is sent with. Throws InvalidRequestError. */
export function shapeOfList(given: ListRequest, temperature?: number): ListShape {
  if (typeof given !== "object" || (given as ListRequest | null) === null) {
    const issue = { field: "(all)", given: given === null ? "null" : typeof given, allowed: "a request" };
    throw new InvalidRequestError([issue], "request");
  }
  const prompts = isList(given.prompt) ? given.prompt : [given.prompt];
  const issues = choiceIssues(given, temperature);
  if (prompts.length === 0)
    issues.push({ field: "prompt", given: "a list of 0", allowed: "at least one prompt" });
  if (issues.length > 0) throw new InvalidRequestError(issues, "request");
  return { prompts, n: (given.n ?? 1) as number };
}

/**
 * The single requests that together give what a request of P prompts with n choices asks, in the order p · n + i. Choice i of
 * every prompt has the seed + i, as vLLM's own children have.
 */
export function* expandRequest(given: ListRequest, { prompts, n }: ListShape): Generator<Single> {
  const { n: _, seed, ...rest } = given;
  for (const [prompt, one] of prompts.entries()) {
    for (let choice = 0; choice < n; choice++) {
      const own = typeof seed === "number" ? seed + choice : seed;
      yield { prompt, choice, request: { ...rest, prompt: one, ...(own !== undefined && { seed: own }) } };
    }
  }
}

/** Whether nothing is sampled, so that a seed changes nothing. vLLM's bound. */
export function isGreedy(temperature: unknown): boolean {
  return typeof temperature === "number" && temperature < 1e-5;
}

/** A list of token ids is one prompt. */
function isList(prompt: unknown): prompt is readonly unknown[] {
  return Array.isArray(prompt) && !(prompt.length > 0 && prompt.every((item) => typeof item === "number"));
}

function choiceIssues(
  { n: given, seed, temperature }: ListRequest,
  usual: number | undefined,
): RequestIssue[] {
  const n = given ?? 1;
  if (typeof n !== "number" || !Number.isSafeInteger(n) || n < 1) {
    const what = typeof n === "number" ? String(n) : `a value of type ${typeof n}`;
    return [{ field: "n", given: what, allowed: "an integer from 1" }];
  }
  const issues: RequestIssue[] = [];
  if (n > 1 && isGreedy(temperature ?? usual)) {
    const hint = "at temperature 0 all choices are the same; set a temperature";
    issues.push({ field: "n", given: String(n), allowed: "1 at temperature 0", hint });
  }
  // Of vLLM's children one may have the seed −1; a request of its own with that has none.
  if (typeof seed === "number" && n > 1 && seed < 0 && seed + n > -1) {
    const allowed = "a seed from 0: with this one, a choice would have −1, which stands for none";
    issues.push({ field: "seed", given: String(seed), allowed });
  }
  return issues;
}
