import { InvalidArgumentError } from "commander";
import { commandGroup, describeGroup } from "./command-group.ts";
import { describeDataset, lintDataset, mergeDatasetsCommand, validateDataset } from "./commands.ts";
import { addConvertCommand } from "./dataset-convert-program.ts";
import type { CommandMakers } from "./make-command.ts";

/** Adds `residua dataset`, a group of commands that look at datasets and make others of them. */
export function addDatasetCommands({ program, command, action }: CommandMakers): void {
  const group = commandGroup(program, "dataset");

  command(
    "describe",
    "Say what a dataset holds: counts, label balance, group sizes, norms and outlier dimensions of each layer.",
    "residua dataset describe runs/cities",
    group,
  )
    .argument("<dataset>")
    .option(
      "--bos-token-id <id>",
      "the beginning-of-text token, if it is not what every example begins with",
      tokenId,
    )
    .action((dataset: string, options: DescribeFlags) => action(describeDataset)({ ...options, dataset }));

  command(
    "lint",
    "Look for what would flatter or break a probe. Exit 3 when an error is found, 0 with warnings alone.",
    "residua dataset lint runs/cities --labels truth",
    group,
  )
    .argument("<dataset>")
    .option("--labels <list>", "only these labels, such as truth,topic (default: all)")
    .option(
      "--bos-token-id <id>",
      "the beginning-of-text token, if it is not what every example begins with",
      tokenId,
    )
    .action((dataset: string, options: LintFlags) => action(lintDataset)({ ...options, dataset }));

  command(
    "validate",
    "Read every byte of a dataset and compare it with its checksums. Exit 3 when something is wrong.",
    "residua dataset validate runs/cities",
    group,
  )
    .argument("<dataset>")
    .action((dataset: string, options: object) => action(validateDataset)({ ...options, dataset }));

  command(
    "merge",
    "Write several datasets of one model and the same layers as one.",
    "residua dataset merge runs/cities runs/rivers --to runs/places --prefix",
    group,
  )
    .argument("<datasets...>")
    .requiredOption("--to <folder>", "folder of the new dataset")
    .option("--prefix", "put each folder's name before the ids of its examples")
    .option("--prefix-groups", "also before the names of groups: groups of one name are then several")
    .action((datasets: string[], options: MergeFlags) =>
      action(mergeDatasetsCommand)({ ...options, datasets }),
    );

  addConvertCommand(group, { command, action });
  describeGroup(group, "Activation datasets");
}

type DescribeFlags = Omit<Parameters<typeof describeDataset>[0], "dataset">;
type LintFlags = Omit<Parameters<typeof lintDataset>[0], "dataset">;
type MergeFlags = Omit<Parameters<typeof mergeDatasetsCommand>[0], "datasets">;

function tokenId(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("give a whole number from 0");
}
