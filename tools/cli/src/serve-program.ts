import { profileNames } from "@residua/local-server";
import { Option } from "commander";
import { makeKey, serve } from "./commands.ts";
import { integer } from "./parse-number.ts";
import type { CommandMakers } from "./make-command.ts";

/** Adds `residua serve` and `residua make-key`, which makes a key for it. */
export function addServeCommands({ command, action }: CommandMakers): void {
  command("serve", "Serve a model on this machine.", "residua serve --model tiny --port 8000")
    .option("--model <tiny|folder>", "tiny, a Hugging Face folder, or a .gguf file", "tiny")
    .option("--model-id <id>", "the id under which the model is offered")
    .addOption(
      new Option("--backend <name>", "what multiplies (see residua backend install)")
        .choices(["wasm", "native"])
        .default("wasm"),
    )
    .option("--port <port>", "port; 0 takes a free one", integer(0, 65535), 0)
    .option("--host <address>", "address to listen on", "127.0.0.1")
    .addOption(new Option("--api-key <key>", "key that requests must carry").env("RESIDUA_SERVER_KEY"))
    .option("--api-key-file <file>", "JSON file of several keys, hashed (see the server's README)")
    .option("--ledger <file>", "keep holds and settlements of tokens in a file")
    .option("--jobs <folder>", "keep completion jobs in a folder, across restarts")
    .addOption(
      new Option("--profile <name>", "what kind of server to be (default: acs)").choices(profileNames),
    )
    .option(
      "--quirk <name[=p]>",
      "misbehave, at every completion or with probability p; may be repeated",
      (text: string, before: string[]) => [...before, text],
      [] as string[],
    )
    .option("--quirk-seed <seed>", "repeat the draws of --quirk", integer(0, 2 ** 31), 0)
    .option("--list-quirks", "explain every quirk, and serve nothing")
    .option("--test-mode", "let requests choose quirks by the header X-Residua-Quirk")
    .action(action(serve));

  command(
    "make-key",
    "Make an API key for residua serve --api-key-file: prints it once, and its record, in which it cannot be read.",
    "residua make-key ann --file keys.json",
  )
    .argument("<id>", "whose key it is")
    .option("--file <file>", "add the record to this key file")
    .action((id: string, options: MakeKeyFlags) => action(makeKey)({ ...options, id }));
}

type MakeKeyFlags = Omit<Parameters<typeof makeKey>[0], "id">;
