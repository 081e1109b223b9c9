import { isObject } from "../json-values.ts";
import { type Check, count, is, listOf, maybe, number, objectOf, recordOf, text } from "./check-shape.ts";

const texts = listOf(text, "a list of texts");
const ids = listOf(count, "a list of token ids");

const listedLogprobs = objectOf(
  {
    tokens: texts,
    token_logprobs: listOf(maybe(number), "a list of numbers or nulls"),
    top_logprobs: maybe(
      listOf(maybe(recordOf(number, "log probabilities by token")), "a list of log probabilities by token"),
    ),
    text_offset: maybe(listOf(number, "a list of numbers")),
  },
  "log probabilities",
);

const contentEntry = { token: text, logprob: number, bytes: maybe(listOf(count, "a list of bytes")) };
const contentLogprobs = objectOf(
  {
    content: maybe(
      listOf(
        maybe(
          objectOf(
            {
              ...contentEntry,
              top_logprobs: maybe(
                listOf(objectOf(contentEntry, "a token's log probability"), "a list of log probabilities"),
              ),
            },
            "a token's log probability",
          ),
        ),
        "a list of log probabilities",
      ),
    ),
  },
  "log probabilities",
);

/** Completion-shaped or, where it has `content`, chat-shaped. */
const logprobs: Check = (value) =>
  isObject(value) && "content" in value ? contentLogprobs(value) : listedLogprobs(value);

const promptLogprobs = listOf(
  maybe(
    recordOf(
      objectOf(
        { logprob: number, rank: maybe(number), decoded_token: maybe(text) },
        "a token's log probability",
      ),
      "log probabilities by token id",
    ),
  ),
  "a list of log probabilities by token id",
);

const checkChoice: Check = objectOf(
  {
    index: count,
    text,
    logprobs: maybe(logprobs),
    finish_reason: maybe(text),
    stop_reason: maybe(
      is("a text or a number", (value) => typeof value === "string" || typeof value === "number"),
    ),
    prompt_logprobs: maybe(promptLogprobs),
    token_ids: maybe(ids),
    prompt_token_ids: maybe(ids),
  },
  "a choice",
);

const usageCounts = objectOf(
  {
    prompt_tokens: maybe(count),
    completion_tokens: maybe(count),
    total_tokens: maybe(count),
    prompt_tokens_details: maybe(is("an object", isObject)),
    completion_tokens_details: maybe(is("an object", isObject)),
  },
  "token counts",
);

/** Token counts; of the three one may be missing or null, since the others tell it (`fillUsage`). */
const checkUsage: Check = (value) => {
  const fault = usageCounts(value);
  if (fault !== undefined || !isObject(value)) return fault;
  const missing = (["prompt_tokens", "completion_tokens", "total_tokens"] as const).filter(
    (name) => typeof value[name] !== "number",
  );
  const [name] = missing;
  return name === undefined || missing.length === 1
    ? undefined
    : { path: `.${name}`, expected: "a whole number from 0", came: value[name] };
};

/**
 * The answer to a completion request, read leniently: fields that are not named here pass through, null stands for
 * missing, and `object`, `created`, `usage` and what a choice does not need may be missing.
 */
export const checkCompletion: Check = objectOf(
  {
    id: text,
    object: maybe(text),
    created: maybe(number),
    model: text,
    system_fingerprint: maybe(text),
    usage: maybe(checkUsage),
    choices: listOf(checkChoice, "a list of choices"),
    activations: maybe(is("an object", isObject)),
  },
  "an object",
);
