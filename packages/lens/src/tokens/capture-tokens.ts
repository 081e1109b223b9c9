import type { PreparedCapture } from "../capture/prepare-capture.ts";
import type { CaptureCheck, CapturedToken } from "../lens-types.ts";
import { learnTokens, type TokenQuestion } from "./learn-tokens.ts";
import type { TokenSource } from "./token-source.ts";

/**
 * Prompt + generated tokens of an answer: what it tells, and what a tokenizer tells where the answer does not; and the
 * model's BOS, null where there is none or it is not known. Throws
 * VerificationError `token_ids`, `token_count` or `double_bos`.
 */
export async function captureTokens(
  source: TokenSource,
  { model, prompt, addSpecialTokens, signal, body }: PreparedCapture,
  counts: Pick<TokenQuestion, "choice" | "promptTokens" | "generatedTokens">,
): Promise<{ tokens: CapturedToken[]; checks: CaptureCheck[]; bosTokenId: number | null }> {
  const bosTokenId = await source.bos(model);
  const isCut = (body as { truncate_prompt_tokens?: unknown }).truncate_prompt_tokens !== undefined;
  const question = { ...counts, prompt, bosTokenId, addSpecialTokens, isCut };
  const asked = { model, prompt, addSpecialTokens, signal };
  // Nothing else tells that the server ran this text: a proxy may put another before it.
  const tokenizerIds = typeof prompt === "string" && !isCut ? await source.ids(asked) : undefined;
  const learnt = learnTokens({ ...question, tokenizerIds });
  const ofPrompt = () => learnt.tokens.slice(0, counts.promptTokens);
  const ids = ofPrompt().flatMap(({ id }) => id ?? []);
  const textless = ofPrompt().filter(({ text, id }) => text === null && id !== bosTokenId);
  const bos = { bosTokenId: bosTokenId ?? null };
  if (textless.length === 0 || ids.length !== counts.promptTokens) return { ...learnt, ...bos };
  const texts = await source.texts(asked, ids, bosTokenId);
  const tokens = learnt.tokens.map((token, i) => ({ ...token, text: token.text ?? texts?.[i] ?? null }));
  return { ...learnt, ...bos, tokens };
}
