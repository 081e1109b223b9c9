import type { Capture, CapturedToken } from "../../lens-types.ts";
import type { AnyCapture, AnyGenerate } from "../../requests/lens-request.ts";

type TeacherPrompt = Pick<AnyCapture, "prompt" | "add_special_tokens">;

/**
 * Prompts that make a server run the tokens of a capture again, the likeliest to be right first: their ids where all are known, else
 * their text, which the server may cut into other tokens, else the prompt alone.
 */
export function teacherPrompts(
  { tokens, positions }: Pick<Capture, "tokens" | "positions">,
  { prompt }: Pick<AnyGenerate, "prompt">,
): [TeacherPrompt, ...TeacherPrompt[]] {
  const run = tokens.slice(0, positions);
  const ids = run.map(({ id }) => id);
  if (ids.every((id) => id !== null)) return [{ prompt: ids, add_special_tokens: undefined }];
  const spelt = typeof prompt === "string" ? afterText(prompt, run) : afterIds(run);
  return spelt === undefined ? [{ prompt }] : [spelt, { prompt }];
}

/** How many leading rows of two captures are of the same tokens. */
export function sameTokens(a: Pick<Capture, "tokens" | "positions">, b: typeof a): number {
  const rows = Math.min(a.positions, b.positions);
  for (let i = 0; i < rows; i++) {
    const [x, y] = [a.tokens[i], b.tokens[i]];
    if (x === undefined || y === undefined || !same(x, y, i)) return i;
  }
  return rows;
}

function same(a: CapturedToken, b: CapturedToken, position: number): boolean {
  if (a.id !== null && b.id !== null) return a.id === b.id;
  if (a.text !== null && b.text !== null) return a.text === b.text;
  // The first token is often not told, and both begin with the same text.
  return position === 0;
}

/** The prompt as it was sent, and the generated tokens' texts. */
function afterText(prompt: string, run: readonly CapturedToken[]) {
  const text = textOf(run.filter(({ role }) => role === "generated"));
  return text === undefined ? undefined : { prompt: prompt + text };
}

/** Ids whose texts are known all but the first: a BOS has none, and the server puts it before a text itself. */
function afterIds(run: readonly CapturedToken[]) {
  const [first, ...others] = run;
  const text = textOf(first?.text === null ? others : run);
  return text === undefined || first === undefined
    ? undefined
    : { prompt: text, add_special_tokens: first.text === null };
}

function textOf(tokens: readonly CapturedToken[]): string | undefined {
  const texts = tokens.map(({ text }) => text);
  return texts.every((text) => text !== null && !text.includes("\ufffd")) ? texts.join("") : undefined;
}
