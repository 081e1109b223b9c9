import type { Command } from "commander";
import { Option } from "commander";
import { createOutput, type Output } from "./output.ts";

/** What every command is given beside its own options. */
export interface CommandContext {
  readonly output: Output;
  readonly signal: AbortSignal;
}

/** Makes subcommands with the options that several share. */
export interface CommandMakers {
  /** The `residua` command. */
  readonly program: Command;
  /** Adds a subcommand with the options that all share, to `residua` or to a group of it. */
  readonly command: (name: string, description: string, example: string, parent?: Command) => Command;
  /** Runs a command with its own options and the context made of the shared ones. */
  readonly action: <O extends object>(
    run: (options: O, context: CommandContext) => Promise<void>,
  ) => (options: O & { json?: boolean; quiet?: boolean }) => Promise<void>;
  /** Adds the options that name a server. */
  readonly server: (command: Command) => Command;
  /** Adds the options of a result that is written to a file. */
  readonly written: (command: Command) => Command;
}

/** The makers of one program. */
export function commandMakers(program: Command, signal: AbortSignal): CommandMakers {
  return {
    program,
    command: (name, description, example, parent = program) =>
      parent
        .command(name)
        .description(description)
        .option("--json", "print one JSON document on stdout and nothing else there")
        .option("--quiet", "no progress on stderr")
        .addHelpText("after", `\nExample:\n  ${example}`)
        .exitOverride(),
    action: (run) => (options) => run(options, { output: createOutput(options), signal }),
    server: (command) =>
      command
        .option(
          "--base-url <url>",
          "server to ask, ending in /v1 (else ACS_API_BASE, else an embedded server)",
        )
        .option(
          "--model <id>",
          "model id; for the embedded server: tiny, a Hugging Face folder, or a .gguf file",
        )
        .addOption(
          new Option("--profile <name>", "what kind of server it is (default: acs)").choices(["acs", "vllm"]),
        ),
    written: (command) =>
      command
        .option(
          "--out <file>",
          "write the result there too (.json), with its command, versions and inputs beside it",
        )
        .option("--replace", "write over a result that is there"),
  };
}
