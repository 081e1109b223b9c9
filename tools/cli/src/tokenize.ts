import type { ServerOptions } from "./connect.ts";
import type { CommandContext } from "./make-command.ts";
import { tokenIds } from "./numbers.ts";
import { alignColumns } from "./output.ts";
import { withTokenRoutes } from "./token-routes.ts";
import { UsageError } from "./usage-error.ts";

/** Options of `residua tokenize`: a text, or ids. */
export interface TokenizeOptions extends ServerOptions {
  text?: string;
  ids?: string;
  specialTokens: boolean;
}

/** `residua tokenize`: the tokens of a text, or the text of token ids. */
export async function tokenize(options: TokenizeOptions, context: CommandContext): Promise<void> {
  const { text, specialTokens } = options;
  const ids = options.ids === undefined ? undefined : tokenIds(options.ids);
  if ((text === undefined) === (ids === undefined))
    throw new UsageError("give either a text, or --ids with the ids of tokens");
  const { output, signal } = context;
  await withTokenRoutes(options, context, async ({ client, model }) => {
    if (ids !== undefined) {
      const { prompt } = await client.detokenize({ model, tokens: ids }, { signal });
      return output.result({ text: prompt, ids }, prompt);
    }
    const request = { model, prompt: text!, add_special_tokens: specialTokens, return_token_strs: true };
    const found = await client.tokenize(request, { signal });
    const rows = found.tokens.map((id, at) => [at, id, JSON.stringify(found.token_strs?.[at] ?? null)]);
    const lines = [["position", "id", "token"], ...rows.map((row) => row.map(String))];
    output.result({ text, ids: found.tokens, tokens: found.token_strs ?? null }, alignColumns(lines));
  });
}
