import { promptList } from "../completion-request.ts";
import type { CheckedRequest, Knowledge } from "../rules/request-facts.ts";
import { encodedLength, type Tokenizer } from "./tokenizer.ts";

/** The tokens of each text of a request. A tokenizer that fails counts nothing, and the reason is told. */
export async function countTokens(
  request: CheckedRequest,
  tokenizer: Tokenizer,
): Promise<Pick<Knowledge, "tokens" | "tokensReason">> {
  const { add_special_tokens: special = true } = request;
  const options = { addSpecialTokens: special, add_special_tokens: special };
  try {
    const tokens: (number | undefined)[] = [];
    for (const prompt of promptList(request)) {
      const exact = typeof prompt === "string";
      tokens.push(exact ? encodedLength(await tokenizer.encode(prompt, options)) : undefined);
    }
    return { tokens, tokensReason: "the tokenizer gave neither ids nor a length" };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { tokensReason: `the tokenizer failed: ${message.slice(0, 200)}` };
  }
}
