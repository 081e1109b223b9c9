import type { Client } from "../../client-types.ts";
import type { Tokenizer } from "./tokenizer.ts";

/**
 * Counts with POST /tokenize of the server itself. The last texts are remembered, since a prompt is often sent more than once.
 * `createClient({ tokenizer })` and each request take it: `client.completions.create(request, { tokenizer })`.
 */
export function serverTokenizer(
  client: Pick<Client<"vllm">, "tokenize">,
  { model, remember = 1000 }: { model?: string; remember?: number } = {},
): Tokenizer {
  const counts = new Map<string, Promise<{ length: number }>>();
  return {
    encode(prompt, { addSpecialTokens }) {
      const key = `${addSpecialTokens ? 1 : 0}${prompt}`;
      const known = counts.get(key);
      if (known !== undefined) return known;
      const asked = client
        .tokenize({ prompt, add_special_tokens: addSpecialTokens, ...(model !== undefined && { model }) })
        .then(({ count }) => ({ length: count }));
      counts.set(key, asked);
      asked.catch(() => counts.delete(key));
      const [oldest] = counts.keys();
      if (counts.size > remember && oldest !== undefined) counts.delete(oldest);
      return asked;
    },
  };
}

/** The tokenizers of a server's models, each made once; none where the server has no route for it. */
export function serverTokenizers({
  tokenize,
}: Partial<Pick<Client<"vllm">, "tokenize">>): (model: string | undefined) => Tokenizer | undefined {
  if (tokenize === undefined) return () => undefined;
  const made = new Map<string | undefined, Tokenizer>();
  return (model) => {
    const tokenizer = made.get(model) ?? serverTokenizer({ tokenize }, model === undefined ? {} : { model });
    made.set(model, tokenizer);
    return tokenizer;
  };
}
