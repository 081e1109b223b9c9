import type { CommandContext } from "./program.ts";
import { withConnection, type ServerOptions } from "./connect.ts";

/** Options of `residua complete`. */
export interface CompleteOptions extends ServerOptions {
  prompt: string;
  maxTokens: number;
  temperature: number;
  n: number;
  seed?: number;
}

/** `residua complete`: samples continuations of one prompt and prints each. */
export async function complete(options: CompleteOptions, { output, signal }: CommandContext): Promise<void> {
  await withConnection(options, { output, signal }, async ({ client, model }) => {
    const completion = await client.completions.create(
      {
        model,
        prompt: options.prompt,
        max_tokens: options.maxTokens,
        temperature: options.temperature,
        n: options.n,
        ...(options.seed !== undefined && { seed: options.seed }),
      },
      { signal },
    );
    output.result(completion, completion.choices.map(({ text }) => options.prompt + text).join("\n---\n"));
  });
}
