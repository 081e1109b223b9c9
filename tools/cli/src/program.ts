import { Command, Option } from "commander";
import { addAskCommands } from "./ask-program.ts";
import { addBackendCommands } from "./backend-program.ts";
import { addCaptureCommands } from "./capture-program.ts";
import { doctor, firstRun } from "./commands.ts";
import { addDatasetCommands } from "./dataset-program.ts";
import { addExperimentCommands } from "./experiment-program.ts";
import { commandMakers } from "./make-command.ts";
import { integer } from "./parse-number.ts";
import { addProbeCommands } from "./probe-program.ts";
import { addReportCommands } from "./report-program.ts";
import { addServeCommands } from "./serve-program.ts";
import { residuaVersion } from "./versions.ts";

/** The `residua` command with its subcommands. Each throws on failure; the caller turns that into an exit code. */
export function createProgram({ signal }: { signal: AbortSignal }): Command {
  const program = new Command("residua")
    .description("Capture the residual stream, probe layers, steer.")
    .version(residuaVersion)
    .showHelpAfterError("(add --help for what is allowed)")
    .exitOverride();
  const makers = commandMakers(program, signal);
  const { command, action } = makers;

  addServeCommands(makers);
  addAskCommands(makers);
  addCaptureCommands(makers);
  addDatasetCommands(makers);
  addProbeCommands(makers);
  addExperimentCommands(makers);
  addReportCommands(makers);
  addBackendCommands(makers);

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
