import type { EncodedChat } from "@residua/lens";
import type { ServerOptions } from "./connect.ts";
import { readExamples } from "./examples-file.ts";
import type { CommandContext } from "./make-command.ts";
import { alignColumns } from "./output.ts";
import { withTokenRoutes } from "./token-routes.ts";
import { UsageError } from "./usage-error.ts";

/** Options of `residua chat-tokens`. */
export interface ChatTokensOptions extends ServerOptions {
  file: string;
  generationPrompt: boolean;
}

/** `residua chat-tokens`: conversations as the model's chat template writes them, and which tokens are whose. */
export async function chatTokens(options: ChatTokensOptions, context: CommandContext): Promise<void> {
  const { file, generationPrompt } = options;
  const { output, signal } = context;
  const conversations = (await readExamples(file)).map(({ messages }, at) => {
    if (messages) return messages;
    throw new UsageError(
      `${file}: example ${at} has a prompt; allowed: messages, a list of { role, content }`,
    );
  });
  await withTokenRoutes(options, context, async ({ lens, model }) => {
    const encoded: EncodedChat[] = [];
    for (const messages of conversations) {
      const request = { model, messages, add_generation_prompt: generationPrompt };
      encoded.push(await lens.encodeChat(request, { signal }));
    }
    output.result({ model, conversations: encoded }, encoded.map(table).join("\n\n"));
  });
}

function table({ tokenIds, spans, text }: EncodedChat): string {
  const header = ["tokens", "of", "part"];
  const rows = spans.map(({ start, end, role, part }) => [`${start}–${end - 1}`, role, part]);
  const written = text === null ? "" : `\n${text}`;
  return `${tokenIds.length} tokens\n${alignColumns([header, ...rows])}${written}`;
}
