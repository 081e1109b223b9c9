import { Command, Option } from "commander";
import { addBackendCommands } from "./backend-program.ts";
import {
  captureCommand,
  compareCommand,
  complete,
  doctor,
  explore,
  exportCommand,
  firstRun,
  importCommand,
  reportCommand,
  sample,
  schema,
  selfTestCommand,
  steerCommand,
  steerSearchCommand,
  sweepCommand,
} from "./commands.ts";
import { addDatasetCommands } from "./dataset-program.ts";
import { createOutput, type Output } from "./output.ts";
import { integer, temperature } from "./parse-number.ts";
import { addServeCommands } from "./serve-program.ts";
import { residuaVersion } from "./versions.ts";

/** What every command is given beside its own options. */
export interface CommandContext {
  readonly output: Output;
  readonly signal: AbortSignal;
}

/** Adds a subcommand with the options that all share, to `residua` or to a group of it. */
export type MakeCommand = (name: string, description: string, example: string, parent?: Command) => Command;

/** Runs a command with its own options and the context made of the shared ones. */
export type MakeAction = <O extends object>(
  run: (options: O, context: CommandContext) => Promise<void>,
) => (options: O & { json?: boolean; quiet?: boolean }) => Promise<void>;

/** The `residua` command with its subcommands. Each throws on failure; the caller turns that into an exit code. */
export function createProgram({ signal }: { signal: AbortSignal }): Command {
  const program = new Command("residua")
    .description("Capture the residual stream, probe layers, steer.")
    .version(residuaVersion)
    .showHelpAfterError("(add --help for what is allowed)")
    .exitOverride();

  const command: MakeCommand = (name, description, example, parent = program) =>
    parent
      .command(name)
      .description(description)
      .option("--json", "print one JSON document on stdout and nothing else there")
      .option("--quiet", "no progress on stderr")
      .addHelpText("after", `\nExample:\n  ${example}`)
      .exitOverride();

  const action: MakeAction = (run) => (options) => run(options, { output: createOutput(options), signal });

  const server = (cmd: Command) =>
    cmd
      .option("--base-url <url>", "server to ask, ending in /v1 (else ACS_API_BASE, else an embedded server)")
      .option(
        "--model <id>",
        "model id; for the embedded server: tiny, a Hugging Face folder, or a .gguf file",
      )
      .addOption(
        new Option("--profile <name>", "what kind of server it is (default: acs)").choices(["acs", "vllm"]),
      );

  const written = (cmd: Command) =>
    cmd
      .option(
        "--out <file>",
        "write the result there too (.json), with its command, versions and inputs beside it",
      )
      .option("--replace", "write over a result that is there");

  addServeCommands(command, action);

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
      "capture",
      "Capture the residual stream into a dataset folder, or of one prompt.",
      "residua capture --examples cities.jsonl --layers all --to runs/cities",
    ),
  )
    .option("--prompt <text>", "capture one prompt and print a summary")
    .option(
      "--examples <file>",
      "JSON lines, CSV, Parquet, Arrow or an Inspect log: prompt, labels, group, split",
    )
    .option("--layers <list>", 'layers such as 0,2,4, or "all"', "all")
    .option("--select <rows>", "rows to keep of each example: last, first or all", "last")
    .option("--max-tokens <n>", "tokens to generate after a --prompt", integer(1, 32000), 1)
    .option("--to <folder>", "dataset folder for --examples")
    .action(action(captureCommand));

  written(
    server(
      command(
        "selftest",
        "Try what a server really does with captures and steering, check by check.",
        "residua selftest --base-url http://127.0.0.1:8000/v1 --profile vllm --needs capture,steering",
      ),
    ),
  )
    .option(
      "--needs <list>",
      "what your plan stands on: exit 3 when one is not shown to hold (default: capture,steering; with --checks, those that fail)",
    )
    .option("--checks <list>", "only these checks, such as S1,S4")
    .option("--intrusive", "also what can harm requests of others at that time (S9)")
    .option("--weights <folder>", "Hugging Face folder of the model, to try the last layer (S19)")
    .action(action(selfTestCommand));

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

  addBackendCommands(program, command, action);
  addDatasetCommands(program, command, action);

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

  command(
    "doctor",
    "Try every backend that is there for numeric work: exit 3 when one computes wrongly.",
    "residua doctor --backend wasm",
  )
    .addOption(
      new Option("--backend <name>", "only this one").choices([
        "native",
        "node-gpu",
        "node-cpu",
        "webgpu",
        "wasm",
        "cpu",
      ]),
    )
    .action(action(doctor));

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

  command(
    "report",
    "Write the report of a run folder: one offline page with every result, check and setting.",
    "residua report runs/first-run --out report.html",
  )
    .argument("[run]", "folder with results (*.json), a dataset, self-tests")
    .option(
      "--out <file>",
      "where to write it (default: report.html in the run); with --extract a new folder",
    )
    .option("--extract <report>", "write the documents of a report into the new folder --out")
    .action((run: string | undefined, options: ReportFlags) =>
      action(reportCommand)({ ...options, ...(run !== undefined && { run }) }),
    );

  command(
    "compare",
    "Compare two runs: which settings differ, and which numbers, where they can be compared.",
    "residua compare runs/a runs/b --out comparison.html",
  )
    .argument("<a>", "folder of a run")
    .argument("<b>", "folder of another")
    .option("--out <file>", "write the comparison as an offline page too")
    .action((a: string, b: string, options: CompareFlags) => action(compareCommand)({ ...options, a, b }));

  command(
    "explore",
    "Open a local page: prompts with their tokens scored, steered beside plain text, a dataset's rows.",
    "residua explore runs/first-run",
  )
    .argument("[run]", "folder with a dataset, trained probes or saved directions")
    .option("--server <url>", "server to ask, ending in /v1 (else ACS_API_BASE, else an embedded server)")
    .option("--model <id>", "model id; for the embedded server: tiny, a Hugging Face folder, or a .gguf file")
    .addOption(
      new Option("--profile <name>", "what kind of server it is (default: acs)").choices(["acs", "vllm"]),
    )
    .option("--port <port>", "port of the page; 0 takes a free one", integer(0, 65535), 0)
    .action((run: string | undefined, options: ExploreFlags) =>
      action(explore)({ ...options, ...(run !== undefined && { run }) }),
    );

  command(
    "first-run",
    "Capture, probe and steer a model, with every control, and report it (npm start).",
    "residua first-run",
  )
    .option("--model <tiny|folder>", "tiny, a Hugging Face folder, or a .gguf file", "tiny")
    .option("--out <folder>", "run folder (default: runs/first-run, or runs/first-run-NAME for a folder)")
    .option("--fresh", "take a new folder even if a complete run is there")
    .option("--cities <n>", "how many cities to use", integer(20, 400))
    .option("--seed <seed>", "seed of everything random", integer(0, 2 ** 31), 0)
    .action(action(firstRun));

  return program;
}

type CompleteFlags = Omit<Parameters<typeof complete>[0], "prompt">;
type SampleFlags = Omit<Parameters<typeof sample>[0], "file">;
type SweepFlags = Omit<Parameters<typeof sweepCommand>[0], "dataset">;
type SteerFlags = Omit<Parameters<typeof steerCommand>[0], "dataset">;
type SteerSearchFlags = Omit<Parameters<typeof steerSearchCommand>[0], "dataset">;
type ExportFlags = Omit<Parameters<typeof exportCommand>[0], "direction">;
type ImportFlags = Omit<Parameters<typeof importCommand>[0], "source">;
type CompareFlags = Omit<Parameters<typeof compareCommand>[0], "a" | "b">;
type ExploreFlags = Omit<Parameters<typeof explore>[0], "run">;
type ReportFlags = Omit<Parameters<typeof reportCommand>[0], "run">;
