import { Option } from "commander";
import { commandGroup, describeGroup } from "./command-group.ts";
import { probeFit, probeScore, transferCommand } from "./commands.ts";
import type { CommandMakers } from "./make-command.ts";
import { integer, number, share } from "./parse-number.ts";
import { probeChoices } from "./probe-choices.ts";

/** Adds `residua probe …`, which trains, saves and uses one probe, and `residua transfer`. */
export function addProbeCommands({ program, command, action, written }: CommandMakers): void {
  const group = commandGroup(program, "probe");

  command(
    "fit",
    "Train a probe on one layer's rows and save it.",
    "residua probe fit runs/cities --label truth --layer 12 --split train --control-split control --to truth.json",
    group,
  )
    .argument("<dataset>")
    .requiredOption("--label <name>", "label column with true and false")
    .requiredOption("--layer <n>", "layer to read; −1 is the token embeddings", integer(-1, 10_000))
    .addOption(new Option("--probe <name>", "kind of probe").choices(probeChoices).default("logistic"))
    .option("--strength <n>", "C of logistic regression, λ of ridge", number, 1)
    .option("--split <name>", "train on the rows of this split only")
    .option("--control-split <name>", "store a threshold from the negative rows of this split")
    .option("--rate <share>", "false-positive rate of the threshold", share, 0.01)
    .requiredOption("--to <file>", "where to save it (.json)")
    .option("--replace", "write over a probe that is there")
    .action((dataset: string, options: FitFlags) => action(probeFit)({ ...options, dataset }));

  command(
    "score",
    "Score a dataset's rows with a saved probe.",
    "residua probe score truth.json runs/rivers --label truth",
    group,
  )
    .argument("<probe>")
    .argument("<dataset>")
    .option("--split <name>", "only rows of this split")
    .option("--label <name>", "compare with this label (default: the probe's own, where the dataset has it)")
    .option("--seed <seed>", "seed of the interval's draws", integer(0, 2 ** 31), 0)
    .action((probe: string, dataset: string, options: ScoreFlags) =>
      action(probeScore)({ ...options, probe, dataset }),
    );
  describeGroup(group, "Probes that are trained, saved and used");

  written(
    command(
      "transfer",
      "Score the probe of each dataset on every other.",
      "residua transfer runs/cities runs/rivers --label truth --layer 12 --out runs/transfer/transfer.json",
    ),
  )
    .argument("<datasets...>")
    .requiredOption("--label <name>", "label column that all have")
    .requiredOption("--layer <n>", "layer to read; −1 is the token embeddings", integer(-1, 10_000))
    .addOption(new Option("--probe <name>", "kind of probe").choices(probeChoices).default("logistic"))
    .option("--folds <n>", "folds of the diagonal, by group", integer(3, 50), 5)
    .option("--seed <seed>", "seed of folds and draws", integer(0, 2 ** 31), 0)
    .addOption(
      new Option("--shared <what>", "groups that are in two datasets")
        .choices(["refuse", "leave-out"])
        .default("refuse"),
    )
    .action((datasets: string[], options: TransferFlags) =>
      action(transferCommand)({ ...options, datasets }),
    );
}

type FitFlags = Omit<Parameters<typeof probeFit>[0], "dataset">;
type ScoreFlags = Omit<Parameters<typeof probeScore>[0], "probe" | "dataset">;
type TransferFlags = Omit<Parameters<typeof transferCommand>[0], "datasets">;
