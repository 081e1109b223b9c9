import type { Client, Encoded, ModelDescription, ProfileName } from "@residua/client";
import { APIAbortError } from "@residua/client";
import { spellings, textsOf } from "./vocabulary-bytes.ts";

interface TokenizedPrompt {
  model: ModelDescription;
  prompt: string | readonly number[];
  addSpecialTokens: boolean;
  signal: AbortSignal | undefined;
}

/**
 * What a tokenizer says of a prompt: the client's own, else the routes of a vLLM server. Undefined where there is none,
 * where it fails, and where what it says does not agree with itself. Throws only APIAbortError.
 */
export interface TokenSource {
  /** The ids of a text. */
  ids(prompt: TokenizedPrompt): Promise<readonly number[] | undefined>;
  /** What each of these ids adds to the text of the prompt. A BOS adds nothing and is null. */
  texts(
    prompt: TokenizedPrompt,
    ids: readonly number[],
    bos: number | null | undefined,
  ): Promise<(string | null)[] | undefined>;
  /** The token that is put before every text; null for a tokenizer that puts none there. */
  bos(model: ModelDescription): Promise<number | null | undefined>;
}

type Routes = Pick<Client<"vllm">, "tokenize" | "detokenize">;

/** One text is often asked many times in a row, with other seeds and other vectors. */
const textsKept = 16;

export function makeTokenSource(client: Client<ProfileName>): TokenSource {
  const { tokenizer } = client;
  const routes = "tokenize" in client ? (client as unknown as Routes) : undefined;
  /** UTF-8 bytes by token id, by model. */
  const vocabularies = new Map<string, Map<number, Uint8Array>>();
  const encoded = new Map<string, readonly number[]>();
  const bosTokens = new Map<string, Promise<number | null | undefined>>();

  async function encode({
    model,
    prompt,
    addSpecialTokens,
    signal,
  }: TokenizedPrompt): Promise<readonly number[] | undefined> {
    if (typeof prompt !== "string") return prompt;
    if (tokenizer !== undefined) {
      const options = { addSpecialTokens, add_special_tokens: addSpecialTokens };
      const ids = idsIn(await tokenizer.encode(prompt, options));
      if (ids !== undefined) return ids;
    }
    const body = { model: model.id, prompt, add_special_tokens: addSpecialTokens };
    return (await routes?.tokenize(body, signal ? { signal } : {}))?.tokens;
  }

  /** The bytes of the tokens of a prompt, kept where together they are its text. */
  async function learn(
    { model, prompt, addSpecialTokens, signal }: TokenizedPrompt,
    ids: readonly number[],
    known: Map<number, Uint8Array>,
    bos: number | null | undefined,
  ): Promise<void> {
    if (routes === undefined) return;
    const options = signal ? { signal } : {};
    const isText = typeof prompt === "string";
    const text = isText
      ? prompt
      : (await routes.detokenize({ model: model.id, tokens: [...ids] }, options)).prompt;
    const { tokens, token_strs: names } = await routes.tokenize(
      {
        model: model.id,
        prompt: text,
        add_special_tokens: isText && addSpecialTokens,
        return_token_strs: true,
      },
      options,
    );
    if (!names || names.length !== ids.length || tokens.some((id, i) => id !== ids[i])) return;
    for (const spell of spellings) {
      const bytes = names.map(spell);
      const texts = textsOf(bytes.slice(isText && ids[0] === bos ? 1 : 0));
      if (!isSame(texts.join(""), text)) continue;
      ids.forEach((id, i) => known.set(id, bytes[i] ?? new Uint8Array()));
      return;
    }
  }

  async function askBos(model: ModelDescription): Promise<number | null | undefined> {
    const one = { model, addSpecialTokens: true, signal: undefined };
    const bare = await encode({ ...one, prompt: "" });
    const [first] = bare ?? [];
    if (first === undefined) return bare && null;
    const word = await encode({ ...one, prompt: "a" });
    // What ends every text as well is no BOS, or not known to be one.
    return word?.[0] === first && word.at(-1) !== first ? first : undefined;
  }

  return {
    ids: (prompt) =>
      unlessItFails(async () => {
        const key = JSON.stringify([prompt.model.id, prompt.addSpecialTokens, prompt.prompt]);
        const ids = encoded.get(key) ?? (await encode(prompt));
        if (ids === undefined) return undefined;
        encoded.set(key, ids);
        for (const oldest of encoded.keys()) if (encoded.size > textsKept) encoded.delete(oldest);
        return ids;
      }, prompt.signal),

    texts: (prompt, ids, bos) =>
      unlessItFails(async () => {
        const told = tokenizer?.texts?.(ids);
        if (told !== undefined) return told.map((text, i) => (i === 0 && ids[0] === bos ? null : text));
        const known = vocabularies.get(prompt.model.id) ?? new Map<number, Uint8Array>();
        vocabularies.set(prompt.model.id, known);
        if (ids.some((id) => !known.has(id))) await learn(prompt, ids, known, bos);
        const bytes = ids.flatMap((id) => known.get(id) ?? []);
        if (bytes.length !== ids.length) return undefined;
        const before = ids[0] === bos ? [null] : [];
        const texts = textsOf(bytes.slice(before.length));
        const joined = texts.join("");
        if (typeof prompt.prompt === "string" && joined !== prompt.prompt) {
          if (!isSame(joined, prompt.prompt)) return undefined;
          texts[0] = texts[0]?.slice(1) ?? "";
        }
        return [...before, ...texts];
      }, prompt.signal),

    bos(model) {
      const { value } = model.bosTokenId;
      if (value !== undefined) return Promise.resolve(value);
      const asked = bosTokens.get(model.id) ?? unlessItFails(() => askBos(model), undefined);
      bosTokens.set(model.id, asked);
      return asked;
    },
  };
}

/** SentencePiece puts a space before the first word. */
function isSame(joined: string, text: string): boolean {
  return joined === text || joined === ` ${text}`;
}

async function unlessItFails<T>(
  ask: () => Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T | undefined> {
  try {
    return await ask();
  } catch {
    if (signal?.aborted) throw new APIAbortError();
    return undefined;
  }
}

/** The ids of what a tokenizer gave; undefined where it only counted. */
function idsIn(encoded: Encoded): number[] | undefined {
  const { ids, input_ids: inputs } = encoded as { ids?: unknown; input_ids?: unknown };
  const list = [encoded, ids, inputs].find((one) => Array.isArray(one) || ArrayBuffer.isView(one));
  const numbers = list && Array.from(list as ArrayLike<unknown>, Number);
  return numbers?.every((id) => Number.isInteger(id) && id >= 0) ? numbers : undefined;
}
