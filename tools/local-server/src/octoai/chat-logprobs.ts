import type { PositionLogprobs, Tokenizer } from "@residua/engine";
import { tokenBytes } from "../token-bytes.ts";
import { atLeast } from "@residua/engine/api";

interface ChatLogprob {
  readonly token: string;
  readonly logprob: number;
  /** The UTF-8 bytes of the token: those of several tokens make a character that none of them holds. */
  readonly bytes: readonly number[];
}

/** A token and the likeliest ones at its place, as chat completions show it. */
export interface ChatLogprobEntry extends ChatLogprob {
  /** In falling order, as many as were asked for; the token itself only if it is one of them. */
  readonly top_logprobs: readonly ChatLogprob[];
}

export function chatLogprob(entry: PositionLogprobs, count: number, tokenizer: Tokenizer): ChatLogprobEntry {
  const shown = ({ token, logprob }: { token: number; logprob: number }): ChatLogprob => {
    const text = tokenizer.decode([token]);
    return { token: text, logprob: atLeast(logprob), bytes: tokenBytes(token, text, tokenizer) };
  };
  return { ...shown(entry), top_logprobs: entry.top.slice(0, count).map(shown) };
}
