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
  { model, prompt, addSpecialTokens, signal }: PreparedCapture,
  counts: Pick<TokenQuestion, "choice" | "promptTokens" | "generatedTokens">,
): Promise<{ tokens: CapturedToken[]; checks: CaptureCheck[]; bosTokenId: number | null }> {
  const bosTokenId = await source.bos(model);
  const question = { ...counts, prompt, bosTokenId, addSpecialTokens };
  const asked = { model, prompt, addSpecialTokens, signal };
  let learnt = learnTokens(question);
  const ofPrompt = () => learnt.tokens.slice(0, counts.promptTokens);
  if (ofPrompt().some(({ id }) => id === null)) {
    const tokenizerIds = await source.ids(asked);
    if (tokenizerIds !== undefined) learnt = learnTokens({ ...question, tokenizerIds });
  }
  const ids = ofPrompt().flatMap(({ id }) => id ?? []);
  const textless = ofPrompt().filter(({ text, id }) => text === null && id !== bosTokenId);
  const bos = { bosTokenId: bosTokenId ?? null };
  if (textless.length === 0 || ids.length !== counts.promptTokens) return { ...learnt, ...bos };
  const texts = await source.texts(asked, ids, bosTokenId);
  const tokens = learnt.tokens.map((token, i) => ({ ...token, text: token.text ?? texts?.[i] ?? null }));
  return { ...learnt, ...bos, tokens };
}
