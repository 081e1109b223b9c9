import { captureCommand, planCommand, selfTestCommand } from "./commands.ts";
import type { CommandMakers } from "./make-command.ts";
import { integer } from "./parse-number.ts";

/** Commands that capture, and that say beforehand what captures will come to. */
export function addCaptureCommands({ command, action, server, written }: CommandMakers): void {
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

  server(
    command(
      "plan",
      "Say what captures will come to, and over how many requests, before anything is captured. Exit 3 when some can never fit.",
      "residua plan --examples cities.jsonl --layers all",
    ),
  )
    .option("--prompt <text>", "plan one capture")
    .option("--examples <file>", "examples as residua capture takes them")
    .option("--layers <list>", 'layers such as 0,2,4, or "all"', "all")
    .option("--select <rows>", "rows to keep of each example: last, first or all", "last")
    .option("--max-tokens <n>", "tokens to generate after each prompt", integer(1, 32000), 1)
    .option("--no-count", "do not count tokens on the server: their bytes give bounds")
    .action(action(planCommand));

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
}
