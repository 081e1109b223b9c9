import { Option } from "commander";
import { chatTokens, complete, modelsCommand, sample, schema, tokenize } from "./commands.ts";
import type { CommandMakers } from "./make-command.ts";
import { integer, temperature } from "./parse-number.ts";

/** Commands that ask a server for texts, tokens and what it serves. */
export function addAskCommands({ command, action, server }: CommandMakers): void {
  server(
    command(
      "complete",
      "Sample completions of a prompt.",
      'residua complete "The city of Paris is in Europe. Verdict:"',
    ),
  )
    .argument("<prompt>")
    .option("--max-tokens <n>", "tokens to generate for each choice", integer(1, 32000), 16)
    .option("--temperature <t>", "0 takes the likeliest token", temperature, 1)
    .option("--n <n>", "choices", integer(1, 1024), 1)
    .option("--seed <seed>", "repeat a sample", integer(0, Number.MAX_SAFE_INTEGER))
    .option(
      "--steer <expression>",
      'steer, such as "0.8 truth@2 - 0.3 length@1:3" (saved directions @ layers)',
    )
    .option("--directions <folder>", "where the directions are saved", "directions")
    .option("--verify", "prove the steering first, with captures at the steered layers")
    .action((prompt: string, options: CompleteFlags) => action(complete)({ ...options, prompt }));

  server(
    command(
      "sample",
      "Send many requests at once, from a file of JSON lines, and print a line of JSON for each outcome.",
      "residua sample requests.jsonl --journal run.jsonl --concurrency 16 > outcomes.jsonl",
    ),
  )
    .argument("<requests>", "JSON lines: requests as POST /completions takes them; model may be left out")
    .option("--journal <file>", "keep each outcome in a file, from which a later run goes on")
    .option("--concurrency <n>", "requests in flight at most (default: the server's cap)", integer(1, 10_000))
    .option("--rate-per-minute <n>", "requests started in a minute at most", integer(1, 1_000_000))
    .option(
      "--seed <base>",
      "seeds: this and the number of choices before",
      integer(0, Number.MAX_SAFE_INTEGER),
    )
    .option("--pack", "send consecutive requests that differ only in prompt as one")
    .option("--ordered", "print the outcomes in the order of the requests")
    .action((file: string, options: SampleFlags) => action(sample)({ ...options, file }));

  server(
    command(
      "models",
      "List the models of a server, with what is known of each and from where.",
      "residua models --json",
    ),
  ).action(action(modelsCommand));

  server(
    command(
      "tokenize",
      "Cut a text into the tokens of a model, or put token ids together.",
      'residua tokenize "The city of Paris is in Europe."',
    ),
  )
    .argument("[text]")
    .option("--ids <list>", "token ids such as 1,20,3: print their text instead")
    .option("--no-special-tokens", "leave out those that the model adds (BOS)")
    .action((text: string | undefined, options: TokenizeFlags) =>
      action(tokenize)({ ...options, ...(text !== undefined && { text }) }),
    );

  server(
    command(
      "chat-tokens",
      "Show the tokens of conversations as a model's chat template writes them, and whose each is.",
      "residua chat-tokens conversations.jsonl --model runs/my-chat-model",
    ),
  )
    .argument("<conversations>", "JSON lines: { messages: [{ role, content }, …] }")
    .option("--no-generation-prompt", "leave out what the template writes before an answer")
    .action((file: string, options: ChatTokensFlags) => action(chatTokens)({ ...options, file }));

  command(
    "schema",
    "Print the JSON Schema of what an endpoint takes.",
    "residua schema --profile acs --endpoint completions",
  )
    .addOption(
      new Option("--profile <name>", "kind of server (default: acs)").choices(["acs", "vllm", "octoai"]),
    )
    .option("--endpoint <name>", "completions, job, tokenize, … (default: completions)")
    .option("--list", "list the endpoints of the profile, or of all, instead")
    .action(action(schema));
}

type CompleteFlags = Omit<Parameters<typeof complete>[0], "prompt">;
type SampleFlags = Omit<Parameters<typeof sample>[0], "file">;
type TokenizeFlags = Omit<Parameters<typeof tokenize>[0], "text">;
type ChatTokensFlags = Omit<Parameters<typeof chatTokens>[0], "file">;
