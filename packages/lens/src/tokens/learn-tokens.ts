import type { Choice } from "@residua/client";
import type { CaptureCheck, CapturedToken } from "../lens-types.ts";
import { VerificationError } from "../verify/verification-error.ts";
import { verifyBos } from "./double-bos.ts";

export interface TokenQuestion {
  prompt: string | readonly number[];
  choice: Choice;
  promptTokens: number;
  generatedTokens: number;
  /** null: the tokenizer puts none before a text. */
  bosTokenId: number | null | undefined;
  addSpecialTokens: boolean;
  /** What a tokenizer says of a text, where the server does not tell everything. */
  tokenizerIds?: readonly number[] | undefined;
}

/**
 * Ids and texts of prompt + generated tokens. The ids are those sent; those that the server names outright; those of
 * `prompt_logprobs: 0`, which names every prompt token but the first; or those of a tokenizer. What none of them tells
 * stays null. Throws `token_ids` when the ids are not those sent, or when tokenizer and server do not agree, and
 * `token_count` when the lists do not have the lengths that `usage` says.
 */
export function learnTokens(question: TokenQuestion): { tokens: CapturedToken[]; checks: CaptureCheck[] } {
  const prompt = promptTokens(question);
  const bos = verifyBos(prompt, question);
  const tokens = [...prompt, ...generatedTokens(question)];
  const known = prompt.filter(({ id }) => id !== null).length;
  const { choice, tokenizerIds } = question;
  const isText = typeof question.prompt === "string";
  const told = Boolean(choice.prompt_logprobs ?? choice.prompt_token_ids);
  const pass = known === question.promptTokens && (told || (isText && tokenizerIds !== undefined));
  const from = tokenizerIds === undefined || !isText ? "" : ", with a tokenizer's help";
  const detail = `${known} of ${question.promptTokens} prompt token ids ${isText ? "learnt" : "as sent"}${from}`;
  return { tokens, checks: [{ code: "token_ids", status: pass ? "pass" : "unverified", detail }, bos] };
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
  const { tokenizerIds } = rest;
  if (typeof prompt === "string" && tokenizerIds !== undefined && tokenizerIds.length !== count) {
    throw new VerificationError(
      "token_count",
      `the tokenizer makes ${tokenizerIds.length} tokens of the prompt and the server counted ${count}: it is not the model's, or the server ran another text`,
      { tokenizer: tokenizerIds.length, counted: count },
    );
  }
  const tokens = Array.from({ length: count }, (_, i): CapturedToken => {
    const sent = typeof prompt === "string" ? tokenizerIds?.[i] : prompt[i];
    const found = told?.[i];
    if (sent !== undefined && found && found.ids.length > 0 && !found.ids.includes(sent)) {
      throw new VerificationError(
        "token_ids",
        `position ${i}: token ${sent} ${typeof prompt === "string" ? "is the tokenizer's" : "was sent"} and the server ran ${found.ids.join(" or ")}`,
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
