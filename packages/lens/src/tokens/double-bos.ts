import type { CaptureCheck, CapturedToken } from "../lens-types.ts";
import { VerificationError } from "../verify/verification-error.ts";
import type { TokenQuestion } from "./learn-tokens.ts";

/** Texts of BOS tokens that no ordinary prompt begins with. */
export const bosTexts: ReadonlySet<string> = new Set([
  "<|begin_of_text|>",
  "<s>",
  "<bos>",
  "<｜begin▁of▁sentence｜>",
]);

/** A doubled BOS moves every position by one. Throws `double_bos`. */
export function verifyBos(
  [first, second, ...others]: readonly CapturedToken[],
  { prompt, bosTokenId, addSpecialTokens }: TokenQuestion,
): CaptureCheck {
  if (first !== undefined && second !== undefined) {
    const known = typeof bosTokenId === "number";
    const byId = known && first.id === bosTokenId && second.id === bosTokenId;
    const byText =
      typeof prompt === "string" &&
      first.text === null &&
      second.text !== null &&
      bosTexts.has(second.text) &&
      prompt.startsWith(second.text);
    // Position 0 is never named: a BOS behind it that is not of the text has one before it.
    const byPlace =
      typeof prompt === "string" &&
      known &&
      first.text === null &&
      second.id === bosTokenId &&
      others.map(({ text }) => text ?? "\0").join("") === prompt;
    if (byId || byText || byPlace) throw doubleBos();
  }
  const seen =
    bosTokenId !== undefined &&
    first !== undefined &&
    (bosTokenId === null || first.id !== null || first.text !== null) &&
    second?.id !== null;
  const noneAdded = typeof prompt === "string" && !addSpecialTokens;
  return {
    code: "double_bos",
    status: seen || noneAdded ? "pass" : "unverified",
    detail: detail(bosTokenId),
  };
}

function detail(bosTokenId: number | null | undefined): string {
  if (bosTokenId === undefined) return "the model's BOS token is not known";
  return bosTokenId === null ? "the tokenizer puts no BOS before a text" : `BOS is token ${bosTokenId}`;
}

export function doubleBos(): VerificationError {
  return new VerificationError(
    "double_bos",
    "the prompt begins with the BOS token twice, which moves every position by one; leave it out of the prompt, or set add_special_tokens: false",
  );
}
