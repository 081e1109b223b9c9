import { loadDirections, steeringExpression, type SteeringVector } from "@residua/lens";
import type { CommandContext } from "./make-command.ts";
import { withConnection, type ServerOptions } from "./connect.ts";
import { UsageError } from "./usage-error.ts";

/** Options of `residua complete`. */
export interface CompleteOptions extends ServerOptions {
  prompt: string;
  maxTokens: number;
  temperature: number;
  n: number;
  seed?: number;
  /** A steering expression. */
  steer?: string;
  /** The folder of the directions that it names. */
  directions: string;
  verify?: true;
}

/** `residua complete`: samples continuations of one prompt, steered or not, and prints each. */
export async function complete(options: CompleteOptions, { output, signal }: CommandContext): Promise<void> {
  const steering = await readSteering(options);
  await withConnection(options, { output, signal }, async ({ client, lens, model }) => {
    const request = {
      model,
      prompt: options.prompt,
      max_tokens: options.maxTokens,
      temperature: options.temperature,
      n: options.n,
      ...(options.seed !== undefined && { seed: options.seed }),
    };
    const texts = (choices: readonly { text: string }[]) =>
      choices.map(({ text }) => options.prompt + text).join("\n---\n");
    if (steering === undefined) {
      const completion = await client.completions.create(request, { signal });
      return output.result(completion, texts(completion.choices));
    }
    const steered = { ...request, steering, ...(options.verify && { verify: true }) };
    const completion = await lens.generate(steered, { signal });
    for (const { status, detail } of completion.checks) output.progress(`${status}: ${detail}`);
    output.result({ ...completion, checks: completion.checks }, texts(completion.choices));
  });
}

async function readSteering({
  steer,
  directions,
  verify,
}: CompleteOptions): Promise<readonly SteeringVector[] | undefined> {
  if (steer !== undefined) return steeringExpression(steer, { directions: await loadDirections(directions) });
  if (verify) throw new UsageError("--verify proves steering: give --steer too");
  return undefined;
}
