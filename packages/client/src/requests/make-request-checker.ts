import type { ClientCore } from "../client-core.ts";
import type { RequestOptions } from "../client-types.ts";
import { applyRules, checkEndpointFields, ruleOutcomes } from "./check-request.ts";
import type { Endpoint, RequestOf } from "./endpoints/endpoint.ts";
import { InvalidRequestError } from "./invalid-request-error.ts";
import { makeModelKnowledge } from "./model-knowledge.ts";
import { type CheckedRequest, type Knowledge, requestFacts } from "./rules/request-facts.ts";
import type { RuleOutcome } from "./rules/request-rule.ts";
import { largestPromptId } from "./rules/shared-rules.ts";
import { countTokens } from "./tokens/count-tokens.ts";
import { type Tokenizer, vocabularyOf } from "./tokens/tokenizer.ts";
import { unlessAborted } from "./tokens/unless-aborted.ts";
import { makeVocabularyProbe } from "./tokens/vocabulary-probe.ts";

/** Checks requests with what the server and a tokenizer say. */
export interface RequestChecker {
  /** The request as it is sent. Throws InvalidRequestError. */
  prepare: <E extends Endpoint>(
    request: RequestOf<E>,
    endpoint: E,
    options?: RequestOptions,
  ) => Promise<RequestOf<E>>;
  /** What every rule says. Throws InvalidRequestError for a field by itself. */
  check: (request: object, endpoint: Endpoint, options?: RequestOptions) => Promise<RuleOutcome[]>;
}

export function makeRequestChecker(
  core: Pick<ClientCore, "describe" | "profile" | "send">,
  clientTokenizer: Tokenizer | undefined,
): RequestChecker {
  const askModel = makeModelKnowledge(core);
  const probe = makeVocabularyProbe(core);

  /** What the server tells of the model, and of its vocabulary where the prompt is token ids. */
  async function ask(
    checked: CheckedRequest,
    tokenizer: Tokenizer | undefined,
    options: RequestOptions,
  ): Promise<Knowledge> {
    const known = await askModel(checked.model, options);
    const size = vocabularyOf(tokenizer);
    if (size !== undefined) return { ...known, vocabulary: { least: size, most: size } };
    const largest = largestPromptId(checked);
    const facts = requestFacts(core.profile, checked, known);
    if (core.profile !== "vllm" || largest === undefined || facts.vocabularySize().most !== Infinity)
      return known;
    return { ...known, vocabulary: await probe(checked.model, largest.id, options) };
  }

  async function prepare<E extends Endpoint>(
    request: RequestOf<E>,
    endpoint: E,
    options: RequestOptions = {},
  ): Promise<RequestOf<E>> {
    const checked: CheckedRequest = checkEndpointFields(request, endpoint);
    const tokenizer = options.tokenizer ?? clientTokenizer;
    let known: Knowledge = {};
    // Rules that need nothing from outside come first: what they refuse costs no question.
    let uncounted = refuse(checked, endpoint, known);
    // A count is of use where the model's context is known.
    if (tokenizer !== undefined || needsModel(checked, endpoint)) {
      known = await ask(checked, tokenizer, options);
      uncounted = refuse(checked, endpoint, known);
    }
    if (tokenizer && uncounted) {
      known = { ...known, ...(await unlessAborted(countTokens(checked, tokenizer), options.signal)) };
      refuse(checked, endpoint, known);
    }
    return checked as RequestOf<E>;
  }

  async function check(
    request: object,
    endpoint: Endpoint,
    options: RequestOptions = {},
  ): Promise<RuleOutcome[]> {
    const checked: CheckedRequest = checkEndpointFields(request, endpoint);
    const tokenizer = options.tokenizer ?? clientTokenizer;
    const known = await ask(checked, tokenizer, options);
    const counted = tokenizer ? await unlessAborted(countTokens(checked, tokenizer), options.signal) : {};
    return ruleOutcomes(checked, endpoint, { ...known, ...counted });
  }

  return { prepare, check };
}

/** Whether some rule could not tell because of what it counts. Throws InvalidRequestError for those that are exceeded. */
function refuse(checked: CheckedRequest, endpoint: Endpoint, known: Knowledge): boolean {
  const { issues, uncounted } = applyRules(checked, endpoint, known);
  if (issues.length > 0) throw new InvalidRequestError(issues, endpoint.what);
  return uncounted;
}

/** Limits of captures and steering, and of token ids, are the model's. */
function needsModel(checked: CheckedRequest, { profile }: Endpoint): boolean {
  const { capture, steering } = requestFacts(profile, checked);
  return capture !== undefined || steering !== undefined || largestPromptId(checked) !== undefined;
}
