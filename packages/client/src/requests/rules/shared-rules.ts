import { sources } from "../fields/sources.ts";
import { between, count, plus, times, type Count } from "./count.ts";
import type { CheckedRequest, RequestFacts } from "./request-facts.ts";
import type { RequestRule } from "./request-rule.ts";

/** Prompts × n. */
export function choicesOf({ prompts, n }: RequestFacts): Count {
  return times(count(prompts, "prompts"), count(n, "choices"));
}

/** A combination of fields that is refused. */
export function exclusion(
  rule: Omit<RequestRule, "limit" | "measure">,
  broken: (facts: RequestFacts) => boolean,
): RequestRule {
  return {
    ...rule,
    limit: 0,
    measure: (facts) => (broken(facts) ? { value: count(1, "refused") } : undefined),
  };
}

/** Fields of a stream without a stream. `emptyIsNone`: to vLLM an empty object asks for nothing. */
export function streamOptionsRule(source: string, { emptyIsNone = false } = {}): RequestRule {
  return exclusion(
    {
      name: "stream_options_only_with_stream",
      formula: "stream_options without stream: true",
      allows: "stream_options only with stream: true",
      source,
      field: "stream_options",
    },
    ({ request }) =>
      request.stream !== true &&
      request.stream_options !== undefined &&
      !(emptyIsNone && Object.keys(request.stream_options).length === 0),
  );
}

/** Capture and steering take one prompt and one choice: the engine's plugin drops them from every other one in silence. */
export function oneChoiceRules(kind: "capture" | "steering", field: string): RequestRule[] {
  const asked = ({ capture, steering }: RequestFacts) =>
    (kind === "capture" ? capture : steering) !== undefined;
  const common = {
    limit: 1,
    source: sources.lens,
    hint: "several are sent as one request each; with n, choice i has the seed + i",
  };
  return [
    {
      ...common,
      name: `${kind}_one_prompt`,
      formula: `prompts with ${field}`,
      allows: `prompt that a ${kind === "capture" ? "capture" : "steered request"} takes`,
      field: "prompt",
      measure: (facts) => (asked(facts) ? { value: count(facts.prompts, "prompts") } : undefined),
    },
    {
      ...common,
      name: `${kind}_one_choice`,
      formula: `n with ${field}`,
      allows: `choice that a ${kind === "capture" ? "capture" : "steered request"} takes`,
      field: "n",
      measure: (facts) => (asked(facts) ? { value: count(facts.n, "choices") } : undefined),
    },
  ];
}

/** A capture is dropped from a stream. */
export function captureStreamRule(field: string): RequestRule {
  return exclusion(
    {
      name: "capture_not_with_stream",
      formula: `${field} with stream: true`,
      allows: "a capture without stream: a streamed answer has no activations",
      source: sources.lens,
      field,
    },
    ({ capture, request }) => capture !== undefined && request.stream === true,
  );
}

/** Layers that the model has; undefined layers of a text selector never reach this. */
export function layerRules(captureField: string, steeringField: string): RequestRule[] {
  const rule = (
    name: string,
    field: string,
    formula: string,
    layersOf: (facts: RequestFacts) => readonly number[] | undefined,
  ): RequestRule => ({
    name,
    formula,
    limit: "the model's layers - 1",
    allows: "that is the model's last layer",
    source: sources.job,
    field,
    measure(facts) {
      const layers = layersOf(facts);
      if (layers === undefined || facts.layers === undefined) return undefined;
      return {
        value: count(Math.max(...layers), "as the last layer"),
        limit: count(facts.layers - 1, "layers"),
      };
    },
  });
  return [
    rule("capture_layers", captureField, "the last layer of a capture", ({ capture }) =>
      capture === true ? undefined : capture,
    ),
    rule("steering_layers", steeringField, "the last layer of the steering vectors", ({ steering }) =>
      steering?.flatMap(({ layer_indices: layers }) => layers),
    ),
  ];
}

/** Layers × tokens × hidden size. */
export function captureNumbers(facts: RequestFacts, promptTokens: Count): Count {
  const tokens = plus([promptTokens, count(facts.maxTokens, "max_tokens")], { brackets: true });
  return times(facts.captureLayers(), tokens, facts.hiddenSize());
}

/** Layers × positions of each vector, × hidden size. A vector without positions counts as one position. */
export function steeringNumbers(facts: RequestFacts): Count | undefined {
  const { steering } = facts;
  if (steering === undefined) return undefined;
  const rows = steering.map(({ activations: { shape } }) => {
    const [layers = 0, positions = 1] = shape.length > 2 ? shape : [shape[0]];
    return times(count(layers, "layers"), count(positions, "positions"));
  });
  return times(plus(rows, { brackets: true }), facts.hiddenSize());
}

/** A vector of another width than the model's is refused by some servers and dropped in silence by others. */
export function steeringWidthRule(field: string): RequestRule {
  return {
    name: "steering_width",
    formula: "the width of each steering vector",
    limit: 0,
    allows: "the model's hidden size",
    source: sources.server,
    field,
    measure({ steering, width }) {
      if (steering === undefined || width === undefined) return undefined;
      const at = steering.findIndex(({ activations: { shape } }) => shape.at(-1) !== width);
      if (at < 0) return { value: count(0, "vectors of another width") };
      const shape = steering[at]?.activations.shape ?? [];
      return {
        value: count(1, "vector of another width"),
        field: `${field}[${at}].activations.shape`,
        given: `width ${shape.at(-1)} in [${shape.join(", ")}]`,
        allowed: `${width} as the last, the model's hidden size`,
      };
    },
  };
}

/** A text without a token: an empty one to which nothing is added. */
export function emptyTextRule(source: string): RequestRule {
  return exclusion(
    {
      name: "prompt_has_tokens",
      formula: "an empty text with add_special_tokens: false",
      allows: "a prompt of at least one token",
      source,
      field: "prompt",
    },
    ({ request: { prompt, add_special_tokens: added } }) =>
      added === false && (prompt === "" || (Array.isArray(prompt) && prompt.includes(""))),
  );
}

/** Token ids of a field must be in the vocabulary. */
export function vocabularyRule(field: string, idsOf: (request: CheckedRequest) => Located): RequestRule {
  return {
    name: `${field}_in_vocabulary`,
    formula: `the largest token id of ${field}`,
    limit: "the vocabulary - 1",
    allows: "that is the vocabulary's last id",
    source: sources.server,
    field,
    hint: "a token id that the vocabulary lacks can stop a server",
    perPrompt: true,
    measure(facts) {
      const size = facts.vocabularySize();
      const found = idsOf(facts.request);
      if (found === undefined) return undefined;
      const limit = between(size.least - 1, size.most - 1, "tokens", size.reasons().join("; "));
      return {
        value: count(found.id, "as a token id"),
        limit,
        field: found.at,
        given: `token id ${found.id}`,
        allowed:
          size.least === size.most
            ? `token ids 0 to ${limit.most}`
            : // The size is not known, but what the server said of some ids.
              `token ids that the model has: the server has no id ${size.most}${size.least > 0 ? `, and has ${size.least - 1}` : ""}`,
      };
    },
  };
}

/** The largest id of a field and where it stands. */
export type Located = { id: number; at: string } | undefined;

export function largestId(field: string, ids: readonly number[] | undefined): Located {
  if (ids === undefined || ids.length === 0) return undefined;
  let at = 0;
  for (let i = 1; i < ids.length; i++) if ((ids[i] ?? 0) > (ids[at] ?? 0)) at = i;
  return { id: ids[at] ?? 0, at: `${field}[${at}]` };
}

/** The largest token id that has a bias. */
export function largestBiasedId({ logit_bias: bias }: CheckedRequest): Located {
  const found = largestId("logit_bias", Object.keys(bias ?? {}).map(Number));
  return found && { id: found.id, at: `logit_bias.${found.id}` };
}

/** The largest token id of the prompts. */
export function largestPromptId({ prompt }: CheckedRequest): Located {
  if (prompt === undefined || typeof prompt === "string" || typeof prompt[0] === "string") return undefined;
  if (typeof prompt[0] === "number") return largestId("prompt", prompt as readonly number[]);
  let most: Located;
  for (const [p, ids] of (prompt as readonly (readonly number[])[]).entries()) {
    const found = largestId(`prompt[${p}]`, ids);
    if (found !== undefined && (most === undefined || found.id > most.id)) most = found;
  }
  return most;
}
