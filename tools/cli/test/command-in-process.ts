import { explainFailure } from "../src/failure.ts";
import type { CommandContext } from "../src/make-command.ts";

/** What a command did here, without the seconds that a process of its own takes to load. */
export interface CommandOutcome {
  /** Its exit code, and what it would print to stderr. */
  readonly code: number;
  readonly message: string;
  /** Its result with `--json`, and without. */
  readonly data: unknown;
  readonly text: string;
  /** Lines of progress. */
  readonly told: string;
}

/** Runs a command with an output that keeps what it is given. */
export async function commandInProcess(
  run: (context: CommandContext) => Promise<void>,
): Promise<CommandOutcome> {
  const kept = { data: undefined as unknown, text: "", told: "" };
  const output: CommandContext["output"] = {
    json: true,
    progress: (line) => void (kept.told += `${line}\n`),
    count: () => undefined,
    result: (data, text) => void Object.assign(kept, { data, text }),
  };
  const { signal } = new AbortController();
  const error = await run({ output, signal }).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  const { exitCode: code, message } =
    error === undefined ? { exitCode: 0, message: "" } : explainFailure(error);
  return { code, message, ...kept };
}
