import { type Command, Option } from "commander";
import { convertDataset } from "./commands.ts";
import type { CommandMakers } from "./make-command.ts";

/** Adds `residua dataset convert` to the group. */
export function addConvertCommand(
  group: Command,
  { command, action }: Pick<CommandMakers, "command" | "action">,
): void {
  command(
    "convert",
    "Write a dataset for other tools, or make a dataset of a file of rows.",
    "residua dataset convert runs/cities --to parquet --out cities.parquet",
    group,
  )
    .argument("<source>", "a dataset, or a .parquet, .arrow, .safetensors or .npy file, or a folder of them")
    .addOption(
      new Option("--to <format>", "what to make of it")
        .choices(["parquet", "arrow", "safetensors", "npy", "dataset"])
        .makeOptionMandatory(),
    )
    .requiredOption("--out <path>", "the new file, or for npy and dataset the new folder")
    .addOption(
      new Option("--numbers <how>", "16-bit numbers as exact float32 (default) or as bits").choices([
        "float32",
        "bits",
      ]),
    )
    .addOption(
      new Option("--compression <name>", "of Parquet (default: zstd)").choices([
        "zstd",
        "snappy",
        "lz4",
        "none",
      ]),
    )
    .option(
      "--map <list>",
      "of a foreign file: example=id,group=topic,label=truth,layer_16=embedding,leave_out=note",
    )
    .option("--columns <file>", "of arrays: a Parquet or Arrow file with their columns")
    .option("--axis <layers>", "of one array [layers, rows, width]: its layers, such as 8,16")
    .addOption(
      new Option("--dtype <name>", "what the numbers become").choices(["bfloat16", "float16", "float32"]),
    )
    .option("--bits", "unsigned 16-bit integers are bits of --dtype")
    .option("--round", "round numbers that --dtype does not hold")
    .option("--unchecked", "read an exported file that another program changed: do not compare its hashes")
    .option("--replace", "write over a file that is there")
    .option(
      "--verify",
      "read the copy again and compare every row with the source as it was read; exit 3 when one differs",
    )
    .action((source: string, options: ConvertFlags) => action(convertDataset)({ ...options, source }));
}

type ConvertFlags = Omit<Parameters<typeof convertDataset>[0], "source">;
