import type { ModelDescription } from "../catalogue/model-description.ts";
import type { ClientCore } from "../client-core.ts";
import type { RequestOptions } from "../client-types.ts";
import { applyRules, checkEndpointFields, ruleOutcomes } from "./check-request.ts";
import { promptList } from "./completion-request.ts";
import type { Endpoint, RequestOf } from "./endpoints/endpoint.ts";
import { InvalidRequestError } from "./invalid-request-error.ts";
import { type CheckedRequest, type Knowledge, requestFacts } from "./rules/request-facts.ts";
import type { RuleOutcome } from "./rules/request-rule.ts";
import { encodedLength, type Tokenizer } from "./tokens/tokenizer.ts";

/** Checks requests with what the server and a tokenizer say. */
export interface RequestChecker {
  prepare<E extends Endpoint>(
    request: RequestOf<E>,
    endpoint: E,
    options?: RequestOptions,
  ): Promise<RequestOf<E>>;
  check(request: object, endpoint: Endpoint, options?: RequestOptions): Promise<RuleOutcome[]>;
}

export function makeRequestChecker(
  core: Pick<ClientCore, "describe" | "profile" | "send">,
  clientTokenizer: Tokenizer | undefined,
): RequestChecker {
  /** Rules that need nothing from outside come first: what they refuse costs no question. */
  async function prepare<E extends Endpoint>(
    request: RequestOf<E>,
    endpoint: E,
    options: RequestOptions = {},
  ): Promise<RequestOf<E>> {
    const checked = checkEndpointFields(request, endpoint);
    let known: Knowledge = {};
    let { issues, unknown } = applyRules(checked, endpoint, known);
    refuse(issues, endpoint);
    if (needsModel(checked, endpoint)) {
      known = await askModel(checked, options);
      ({ issues, unknown } = applyRules(checked, endpoint, known));
      refuse(issues, endpoint);
    }
    const tokenizer = options.tokenizer ?? clientTokenizer;
    if (tokenizer && unknown) {
      known = { ...known, ...(await countTokens(checked, tokenizer)) };
      refuse(applyRules(checked, endpoint, known).issues, endpoint);
    }
    return checked as RequestOf<E>;
  }

  async function check(
    request: object,
    endpoint: Endpoint,
    options: RequestOptions = {},
  ): Promise<RuleOutcome[]> {
    const checked = checkEndpointFields(request, endpoint);
    const tokenizer = options.tokenizer ?? clientTokenizer;
    const known = await askModel(checked, options);
    const counted = tokenizer ? await countTokens(checked, tokenizer) : {};
    return ruleOutcomes(checked, endpoint, { ...known, ...counted });
  }

  async function askModel({ model }: CheckedRequest, options: RequestOptions): Promise<Knowledge> {
    try {
      const description: ModelDescription = await core.describe(model, { ...options, maxRetries: 0 });
      return { model: description };
    } catch (error) {
      options.signal?.throwIfAborted();
      return { modelReason: `the catalogue could not be read (${(error as Error).message.slice(0, 200)})` };
    }
  }

  return { prepare, check };
}

function refuse(issues: ConstructorParameters<typeof InvalidRequestError>[0], endpoint: Endpoint): void {
  if (issues.length > 0) throw new InvalidRequestError(issues, endpoint.what);
}

/** Limits of captures and steering, and of token ids, are the model's. */
function needsModel(checked: object, { profile }: Endpoint): boolean {
  const { capture, steering, request } = requestFacts(profile, checked as CheckedRequest);
  return (
    capture !== undefined ||
    steering !== undefined ||
    promptList(request).some((prompt) => Array.isArray(prompt))
  );
}

async function countTokens(request: CheckedRequest, tokenizer: Tokenizer): Promise<Knowledge> {
  const { add_special_tokens: addSpecialTokens = true } = request;
  try {
    const tokens = await Promise.all(
      promptList(request).map(async (prompt) =>
        typeof prompt === "string"
          ? encodedLength(
              await tokenizer.encode(prompt, { addSpecialTokens, add_special_tokens: addSpecialTokens }),
            )
          : undefined,
      ),
    );
    const tokensReason = tokens.includes(undefined)
      ? "the tokenizer gave neither ids nor a length"
      : undefined;
    return { tokens, tokensReason };
  } catch (error) {
    return { tokensReason: `the tokenizer failed: ${(error as Error).message.slice(0, 200)}` };
  }
}
