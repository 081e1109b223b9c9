import { exportCommand, importCommand, steerCommand, steerSearchCommand, sweepCommand } from "./commands.ts";
import type { CommandMakers } from "./make-command.ts";
import { integer } from "./parse-number.ts";

/** Commands that probe, steer, and carry directions from and to other tools. */
export function addExperimentCommands({ command, action, server, written }: CommandMakers): void {
  written(
    command(
      "sweep",
      "Probe each layer of a dataset.",
      "residua sweep runs/cities --label truth --out runs/cities/sweep.json",
    ),
  )
    .argument("<dataset>")
    .requiredOption("--label <name>", "label column with true and false")
    .option("--folds <n>", "outer folds, by group", integer(3, 50), 5)
    .option("--split <name>", "use only rows of this split")
    .option("--seed <seed>", "seed of folds, draws and controls", integer(0, 2 ** 31), 0)
    .action((dataset: string, options: SweepFlags) => action(sweepCommand)({ ...options, dataset }));

  written(
    server(
      command(
        "steer",
        "Steer with the mean difference of a dataset's label.",
        'residua steer runs/cities --label truth --layer 2 --prompts false.jsonl --choices " true, false" --scales=-1,0,1',
      ),
    ),
  )
    .argument("<dataset>")
    .requiredOption("--label <name>", "label column with true and false")
    .requiredOption("--layer <n>", "layer of the direction", integer(0, 10_000))
    .requiredOption("--prompts <file>", "examples with the same label: prompts to steer")
    .requiredOption("--choices <a,b>", "the two answers: the one for true first")
    .option("--scales <list>", "multiples of the direction", "-2,-1,0,1,2")
    .option("--twins <n>", "random directions of equal norm", integer(1, 1000), 20)
    .option("--split <name>", "make the direction from this split's rows only")
    .option("--neutral <file>", "JSON lines: texts whose perplexity shows the damage")
    .option(
      "--generate <n>",
      "generate n tokens after each prompt, to see whether they loop",
      integer(2, 32000),
    )
    .option("--save <name>", "save the direction under this name, for residua complete --steer")
    .option("--directions <folder>", "where to save it", "directions")
    .option("--seed <seed>", "seed of twins and draws", integer(0, 2 ** 31), 0)
    .action((dataset: string, options: SteerFlags) => action(steerCommand)({ ...options, dataset }));

  written(
    server(
      command(
        "steer-search",
        "Search the layer and scale at which a label's mean difference turns most answers without damage.",
        'residua steer-search runs/cities --label truth --prompts cities.jsonl --choices " true, false" --neutral texts.jsonl',
      ),
    ),
  )
    .argument("<dataset>")
    .requiredOption("--label <name>", "label column with true and false")
    .requiredOption(
      "--prompts <file>",
      "examples with the same label: half of them choose, the others estimate",
    )
    .requiredOption("--choices <a,b>", "the two answers: the one for true first")
    .option("--layers <list>", 'layers such as 0,2,4, or "all" of the dataset', "all")
    .option("--scales <list>", "tried outward from 0, each side up to its first damage", "-2,-1,-0.5,0.5,1,2")
    .option("--objective <name>", "flips, or target (its net log probability)", "flips")
    .option("--twins <n>", "random directions that search the same cells", integer(0, 1000), 20)
    .option("--split <name>", "make the directions from this split's rows only")
    .option("--neutral <file>", "JSON lines: texts whose perplexity shows the damage")
    .option("--seed <seed>", "seed of halves, twins and draws", integer(0, 2 ** 31), 0)
    .action((dataset: string, options: SteerSearchFlags) =>
      action(steerSearchCommand)({ ...options, dataset }),
    );

  command(
    "export",
    "Write a saved direction for another tool, or a model folder with the direction taken out of its weights.",
    "residua export directions/truth.safetensors --to truth.gguf --convention llama.cpp --model-hint llama",
  )
    .argument("[direction]", "a file that residua saved")
    .requiredOption(
      "--to <path>",
      "file that ends in .gguf, .safetensors, .npy or .json; with --ablate a folder",
    )
    .option("--convention <name>", "how the file is to count layers (see the formats page)")
    .option("--layers <n>", "blocks of the model", integer(1, 10_000))
    .option("--model-hint <type>", "for .gguf: model_type of config.json, such as llama")
    .option("--replace", "write over a file that is there")
    .option("--ablate <direction>", "take this saved direction out of the weights of --model")
    .option("--model <folder>", "for --ablate: Hugging Face folder of a Llama, Mistral or Qwen2 model")
    .option("--layer <n>", "for --ablate: which, where the direction has several layers", integer(0, 10_000))
    .action((direction: string | undefined, options: ExportFlags) =>
      action(exportCommand)({ ...options, ...(direction !== undefined && { direction }) }),
    );

  command(
    "import",
    "Read a direction of another tool and save it in a folder of directions.",
    "residua import vec_layer_13_llama.pt --from caa --name sycophancy --to directions",
  )
    .argument("<source>", "file, or for refusal-direction the folder of a run")
    .requiredOption("--name <name>", "name of the direction")
    .requiredOption("--to <folder>", "folder of saved directions")
    .option("--from <kind>", "caa, refusal-direction or steerkit; else by the file's ending")
    .option("--convention <name>", "how the file counts layers, where it does not say so")
    .option("--layer <n>", "its layer, where the file does not say so", integer(0, 10_000))
    .option("--layers <n>", "blocks of the model", integer(1, 10_000))
    .option("--method <name>", "for steerkit: which of the probe's directions")
    .option("--weights <how>", "for steerkit: unprocessed, processed-rmsnorm or processed-layernorm")
    .option("--replace", "save over a direction of that name")
    .action((source: string, options: ImportFlags) => action(importCommand)({ ...options, source }));
}

type SweepFlags = Omit<Parameters<typeof sweepCommand>[0], "dataset">;
type SteerFlags = Omit<Parameters<typeof steerCommand>[0], "dataset">;
type SteerSearchFlags = Omit<Parameters<typeof steerSearchCommand>[0], "dataset">;
type ExportFlags = Omit<Parameters<typeof exportCommand>[0], "direction">;
type ImportFlags = Omit<Parameters<typeof importCommand>[0], "source">;
