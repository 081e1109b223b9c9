import type { Command } from "commander";
import { validateDataset } from "./commands.ts";
import type { MakeAction, MakeCommand } from "./program.ts";

/** Adds `residua dataset`, a group of commands that look at datasets and make others of them. */
export function addDatasetCommands(program: Command, command: MakeCommand, action: MakeAction): void {
  const group = program
    .command("dataset")
    .description("Check, describe and merge activation datasets.")
    .exitOverride();

  command(
    "validate",
    "Read every byte of a dataset and compare it with its checksums. Exit 3 when something is wrong.",
    "residua dataset validate runs/cities",
    group,
  )
    .argument("<dataset>")
    .action((dataset: string, options: object) => action(validateDataset)({ ...options, dataset }));
}
