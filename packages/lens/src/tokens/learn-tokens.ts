import type { Choice } from "@residua/client";
import type { CaptureCheck, CapturedToken } from "../lens-types.ts";
import { VerificationError } from "../verify/verification-error.ts";

export interface TokenQuestion {
  prompt: string | readonly number[];
  choice: Choice;
  promptTokens: number;
  generatedTokens: number;
  bosTokenId: number | undefined;
  addSpecialTokens: boolean;
}

/**
 * Ids and texts of prompt + generated tokens from what the server told: `prompt_logprobs: 0` names every prompt token
 * but the first, `logprobs: 1` gives the generated tokens' texts. What it did not tell stays null. Throws `token_ids`
 * when the ids are not those sent, `token_count` when the lists do not have the lengths that `usage` says.
 */
export function learnTokens(question: TokenQuestion): { tokens: CapturedToken[]; checks: CaptureCheck[] } {
  const prompt = promptTokens(question);
  verifyBos(prompt, question);
  const tokens = [...prompt, ...generatedTokens(question)];
  const known = tokens.filter(({ id, role }) => role === "prompt" && id !== null).length;
  const detail = `${known} of ${question.promptTokens} prompt token ids ${typeof question.prompt === "string" ? "learnt" : "as sent"}`;
  const told = Boolean(question.choice.prompt_logprobs ?? question.choice.prompt_token_ids);
  const first = prompt[0];
  return {
    tokens,
    checks: [
      { code: "token_ids", status: told && known === question.promptTokens ? "pass" : "unverified", detail },
      bosCheck(first, prompt[1], question),
    ],
  };
}

function promptTokens({ prompt, choice, promptTokens: count, ...rest }: TokenQuestion): CapturedToken[] {
  if (typeof prompt !== "string" && prompt.length !== count) {
    throw new VerificationError(
      "token_ids",
      `${prompt.length} token ids were sent and the server counted ${count}`,
      {
        sent: prompt.length,
        counted: count,
      },
    );
  }
  const told = toldTokens(choice, count);
  const tokens = Array.from({ length: count }, (_, i): CapturedToken => {
    const sent = typeof prompt === "string" ? undefined : prompt[i];
    const found = told?.[i];
    if (sent !== undefined && found && found.ids.length > 0 && !found.ids.includes(sent)) {
      throw new VerificationError(
        "token_ids",
        `position ${i}: token ${sent} was sent and the server ran ${found.ids.join(" or ")}`,
        {
          position: i,
          sent,
          ran: found.ids,
        },
      );
    }
    const id = sent ?? (found?.ids.length === 1 ? found.ids[0] : undefined);
    return { id: id ?? null, text: found?.text(id) ?? null, role: "prompt" };
  });
  if (typeof prompt === "string") learnFirst(tokens, prompt, rest);
  return tokens;
}

interface Told {
  ids: number[];
  text(id: number | undefined): string | undefined;
}

/** What the server said of each prompt position; nothing of position 0 but where it returns ids outright. */
function toldTokens(choice: Choice, count: number): Told[] | undefined {
  const { prompt_logprobs: entries, prompt_token_ids: ids } = choice;
  const length = entries?.length ?? ids?.length;
  if (length === undefined) return undefined;
  if (length !== count || (ids && ids.length !== count)) {
    throw new VerificationError(
      "token_count",
      `usage counts ${count} prompt tokens and the answer describes ${length}`,
      {
        counted: count,
        described: length,
      },
    );
  }
  return Array.from({ length: count }, (_, i) => {
    const entry = entries?.[i];
    const outright = ids?.[i];
    return {
      ids: outright === undefined ? Object.keys(entry ?? {}).map(Number) : [outright],
      text: (id) => entry?.[String(id)]?.decoded_token ?? undefined,
    };
  });
}

/**
 * Position 0 of a text. When the other tokens spell the whole prompt it is one without text, the BOS; when they spell
 * the end of it, it is the rest. When neither can be seen (bytes cut inside a character), it stays unknown.
 */
function learnFirst(
  tokens: CapturedToken[],
  prompt: string,
  { bosTokenId, addSpecialTokens }: Pick<TokenQuestion, "bosTokenId" | "addSpecialTokens">,
): void {
  const [first, ...others] = tokens;
  if (first === undefined || first.text !== null) return;
  if (others.some(({ text }) => text === null)) return;
  const spelt = others.map(({ text }) => text).join("");
  if (spelt === prompt && addSpecialTokens) first.id ??= bosTokenId ?? null;
  else if (spelt !== prompt && prompt.endsWith(spelt))
    first.text = prompt.slice(0, prompt.length - spelt.length);
}

function generatedTokens({ choice, generatedTokens: count }: TokenQuestion): CapturedToken[] {
  const texts = choice.logprobs?.tokens;
  const ids = choice.token_ids;
  for (const list of [texts, ids]) {
    if (!list || list.length === count) continue;
    throw new VerificationError(
      "token_count",
      `usage counts ${count} generated tokens and the answer lists ${list.length}`,
      {
        counted: count,
        described: list.length,
      },
    );
  }
  return Array.from({ length: count }, (_, i) => ({
    id: ids?.[i] ?? null,
    text: texts?.[i] ?? null,
    role: "generated",
  }));
}

/** Texts of BOS tokens that no ordinary prompt begins with. */
export const bosTexts: ReadonlySet<string> = new Set([
  "<|begin_of_text|>",
  "<s>",
  "<bos>",
  "<｜begin▁of▁sentence｜>",
]);

/** A doubled BOS moves every position by one. Throws `double_bos`. */
function verifyBos(
  [first, second, ...others]: readonly CapturedToken[],
  { prompt, bosTokenId }: TokenQuestion,
): void {
  if (first === undefined || second === undefined) return;
  const byId = bosTokenId !== undefined && first.id === bosTokenId && second.id === bosTokenId;
  const byText =
    typeof prompt === "string" &&
    first.text === null &&
    second.text !== null &&
    bosTexts.has(second.text) &&
    prompt.startsWith(second.text);
  // Position 0 is never named: a BOS behind it that is not of the text has one before it.
  const byPlace =
    typeof prompt === "string" &&
    bosTokenId !== undefined &&
    first.text === null &&
    second.id === bosTokenId &&
    others.map(({ text }) => text ?? "\0").join("") === prompt;
  if (byId || byText || byPlace) throw doubleBos();
}

export function doubleBos(): VerificationError {
  return new VerificationError(
    "double_bos",
    "the prompt begins with the BOS token twice, which moves every position by one; leave it out of the prompt, or set add_special_tokens: false",
  );
}

function bosCheck(
  first: CapturedToken | undefined,
  second: CapturedToken | undefined,
  { bosTokenId, addSpecialTokens, prompt }: TokenQuestion,
): CaptureCheck {
  const seen =
    bosTokenId !== undefined &&
    first !== undefined &&
    (first.id !== null || first.text !== null) &&
    second?.id !== null;
  const noneAdded = typeof prompt === "string" && !addSpecialTokens;
  const detail =
    bosTokenId === undefined ? "the model's BOS token is not known" : `BOS is token ${bosTokenId}`;
  return { code: "double_bos", status: seen || noneAdded ? "pass" : "unverified", detail };
}
