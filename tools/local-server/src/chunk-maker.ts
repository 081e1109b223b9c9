import type { GeneratedToken, Generation, PositionLogprobs } from "@residua/engine";

/** What a choice has ready for its next chunk: a text, and the tokens that made it. */
interface Unsent {
  text: string;
  tokens: number[];
  /** One entry a token. */
  entries: (PositionLogprobs | null)[];
}

interface ChunkForm {
  /** Choices for each prompt: choice i of prompt p has the index p × n + i. */
  readonly n: number;
  /** What the choices of prompt p begin with. */
  readonly begin: (p: number, promptLogprobs: Generation["promptLogprobs"]) => Unsent;
  /** The chunk that carries what choice `index` has ready. */
  readonly chunk: (index: number, unsent: Unsent, finishReason: GeneratedToken["finishReason"]) => object;
}

/** Makes the chunks of a streamed completion from the tokens as they come. */
export interface ChunkMaker {
  prompt(p: number, promptLogprobs: Generation["promptLogprobs"]): void;
  /** The chunk that this token completes; null while its text is held back. */
  token(p: number, token: GeneratedToken): object | null;
}

export function createChunkMaker({ n, begin, chunk }: ChunkForm): ChunkMaker {
  const promptLogprobs: Generation["promptLogprobs"][] = [];
  const choices = new Map<number, Unsent>();
  return {
    prompt(p, logprobs) {
      promptLogprobs[p] = logprobs;
    },
    token(p, { choice, token, text, logprobs, finishReason }) {
      const index = p * n + choice;
      const unsent = choices.get(index) ?? begin(p, promptLogprobs[p] ?? null);
      choices.set(index, unsent);
      unsent.text += text;
      unsent.tokens.push(token);
      unsent.entries.push(logprobs);
      if (text === "" && finishReason === null) return null;
      const made = chunk(index, unsent, finishReason);
      choices.set(index, { text: "", tokens: [], entries: [] });
      return made;
    },
  };
}
