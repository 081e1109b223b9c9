import type { Known, ModelDescription } from "@residua/lens";
import { withConnection, type ServerOptions } from "./connect.ts";
import type { CommandContext } from "./make-command.ts";
import { alignColumns } from "./output.ts";

/** `residua models`: what a server serves, and what is known of each model. */
export async function modelsCommand(options: ServerOptions, context: CommandContext): Promise<void> {
  const { output, signal } = context;
  await withConnection(options, context, async ({ client }) => {
    const listed = await client.models.list({ signal });
    const models: ModelDescription[] = [];
    for (const { id } of listed) models.push(await client.describe(id, { signal }));
    output.result({ server: client.baseURL, models }, table(models));
  });
}

function table(models: readonly ModelDescription[]): string {
  const header = ["model", "checkpoint", "layers", "hidden size", "context", "vocabulary"];
  const rows = models.map(({ id, checkpoint, layers, hiddenSize, contextLength, vocabSize }) => [
    id,
    ...[checkpoint, layers, hiddenSize, contextLength, vocabSize].map(known),
  ]);
  return alignColumns([header, ...rows]);
}

/** What no server said is marked: a default is what limits count with, and no fact of the model. */
function known({ value, source }: Known<number | string | undefined>): string {
  if (value === undefined) return "?";
  return source === "default" ? `${value} (assumed)` : String(value);
}
