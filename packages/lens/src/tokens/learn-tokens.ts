import type { Choice } from "@residua/client";
import type { CaptureCheck, CapturedToken } from "../lens-types.ts";
import { VerificationError } from "../verify/verification-error.ts";
import { compareTexts } from "./compare-texts.ts";
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
  /** The server was asked to leave out the beginning of a long prompt. */
  isCut?: boolean;
}

/**
 * Ids and texts of prompt + generated tokens. The ids are those sent; those that the server names outright; those of
 * `prompt_logprobs: 0`, which names every prompt token but the first; or those of a tokenizer. What none of them tells
 * stays null. Throws `token_ids` when the ids are not those sent, when tokenizer and server do not agree, or when the tokens read
 * as another text, and
 * `token_count` when the lists do not have the lengths that `usage` says.
 */
export function learnTokens(question: TokenQuestion): { tokens: CapturedToken[]; checks: CaptureCheck[] } {
  // A doubled BOS is named as such, before a tokenizer's ids are found to be others.
  if (question.tokenizerIds !== undefined)
    verifyBos(promptTokens({ ...question, tokenizerIds: undefined }), question);
  const prompt = promptTokens(question);
  const bos = verifyBos(prompt, question);
  const tokens = [...prompt, ...generatedTokens(question)];
  return { tokens, checks: [idsCheck(prompt, question), bos] };
}

/** A pass is a comparison: of ids with those sent or with a tokenizer's, or of the tokens' texts with the prompt. */
function idsCheck(
  prompt: readonly CapturedToken[],
  { prompt: asked, choice, tokenizerIds, isCut = false }: TokenQuestion,
): CaptureCheck {
  const known = prompt.filter(({ id }) => id !== null).length;
  const told = Boolean(choice.prompt_logprobs ?? choice.prompt_token_ids);
  const check = (isCompared: boolean, detail: string): CaptureCheck => ({
    code: "token_ids",
    status: isCompared && known === prompt.length ? "pass" : "unverified",
    detail: `${known} of ${prompt.length} prompt token ids ${detail}`,
  });
  if (typeof asked !== "string")
    return check(told, told ? "as sent" : "as sent; the server does not tell which it ran");
  if (tokenizerIds !== undefined)
    return told
      ? check(true, "learnt, with a tokenizer's help")
      : check(false, "learnt, with a tokenizer's help; the server does not tell which it ran");
  const read = isCut ? "unknown" : compareTexts(asked, textsAfterFirst(prompt));
  if (read === "more" || read === "other") throw otherText(asked, prompt, read);
  if (read === "same") return check(true, "learnt, and their texts are the prompt");
  const why =
    read === "folded"
      ? "their texts are the prompt but for spaces, case, accents or signs"
      : "no tokenizer and no texts to compare them with";
  return check(false, `learnt; ${why}`);
}

/** None where one is not known. Position 0 is not named, or its text is what the others leave of the prompt. */
function textsAfterFirst(prompt: readonly CapturedToken[]): string[] {
  const texts = prompt.map(({ text }, i) => text ?? (i === 0 ? "" : null));
  return texts.includes(null) ? [] : texts.map((text) => text ?? "");
}

function otherText(
  asked: string,
  prompt: readonly CapturedToken[],
  read: "more" | "other",
): VerificationError {
  const ran = textsAfterFirst(prompt).join("");
  return new VerificationError(
    "token_ids",
    `the server ran ${read === "more" ? "more than the prompt" : "another text"}: its tokens read ${JSON.stringify(ran.slice(0, 120))}, and ` +
      `${JSON.stringify(asked.slice(0, 120))} was sent. Something between here and the model changes prompts; send token ids`,
    { sent: asked.length, ran: ran.length },
  );
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
  const tokenizerIds = withBos(rest, told === undefined ? undefined : count);
  if (typeof prompt === "string" && tokenizerIds !== undefined && tokenizerIds.length !== count) {
    throw new VerificationError(
      told === undefined ? "token_count" : "token_ids",
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

/** The client's tokenizer may leave out the BOS that the server puts before a text and tells of. */
function withBos(
  {
    tokenizerIds,
    bosTokenId: bos,
    addSpecialTokens,
  }: Omit<TokenQuestion, "prompt" | "choice" | "promptTokens">,
  told: number | undefined,
): readonly number[] | undefined {
  if (tokenizerIds === undefined || typeof bos !== "number" || !addSpecialTokens) return tokenizerIds;
  return told === tokenizerIds.length + 1 && tokenizerIds[0] !== bos ? [bos, ...tokenizerIds] : tokenizerIds;
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
