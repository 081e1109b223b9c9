import { Option } from "commander";
import { compareCommand, explore, reportCommand, runPipeline } from "./commands.ts";
import type { CommandMakers } from "./make-command.ts";
import { integer } from "./parse-number.ts";

/** Commands that show what was found, and the one that does all of it. */
export function addReportCommands({ command, action }: CommandMakers): void {
  command(
    "run",
    "Run a pipeline: collect, sweep, transfer, steer, report. Steps whose inputs are as they were are passed over; exit 3 when a gate is not met.",
    "residua run pipeline.yaml --explain",
  )
    .argument("<pipeline>", "YAML file (see the page on pipelines)")
    .option("--explain", "say what would run, and why, and run nothing")
    .action((file: string, options: RunFlags) => action(runPipeline)({ ...options, file }));

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
}

type CompareFlags = Omit<Parameters<typeof compareCommand>[0], "a" | "b">;
type RunFlags = Omit<Parameters<typeof runPipeline>[0], "file">;
type ExploreFlags = Omit<Parameters<typeof explore>[0], "run">;
type ReportFlags = Omit<Parameters<typeof reportCommand>[0], "run">;
