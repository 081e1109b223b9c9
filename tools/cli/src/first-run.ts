import { join } from "node:path";
import { useBackend, type ReportInput } from "@residua/analysis";
import { connect, type Connection } from "./connect.ts";
import { firstRunData } from "./first-run-data.ts";
import { beginRun, chooseRun, finishRun, mendReport } from "./first-run-folder.ts";
import { runSteps } from "./first-run-steps.ts";
import { firstRunTable } from "./first-run-table.ts";
import { modelFingerprint } from "./model-fingerprint.ts";
import type { CommandContext } from "./make-command.ts";
import { folderName } from "./serve.ts";
import { createStopwatch } from "./stopwatch.ts";

/** Options of `residua first-run` (`npm start`). */
export interface FirstRunOptions {
  model: string;
  out?: string;
  fresh?: boolean;
  cities?: number;
  seed: number;
}

/** What decides every number of a run; a finished run with equal settings is not done again. */
export type FirstRunSettings = Record<string, string | number | boolean>;

/** `residua first-run`: collects, sweeps, steers and reports one model on the embedded server, then stops the server. */
export async function firstRun(options: FirstRunOptions, context: CommandContext): Promise<void> {
  const { output, signal } = context;
  const tiny = options.model === "tiny";
  const cities = options.cities ?? (tiny ? 400 : 60);
  const settings: FirstRunSettings = {
    model: options.model,
    weights: await modelFingerprint(options.model),
    cities,
    seed: options.seed,
    twins: 20,
    folds: 5,
  };
  const base = options.out ?? join("runs", tiny ? "first-run" : `first-run-${folderName(options.model)}`);
  const run = await chooseRun(base, { settings, fresh: options.fresh === true });
  if (run.note) output.progress(run.note);
  if (run.finished) {
    await mendReport(run.folder);
    output.result(run.finished, firstRunTable(run.finished, { folder: run.folder, reused: true }));
    return;
  }

  await beginRun(run.folder, settings);
  const stopwatch = createStopwatch(output);
  const backend = await useBackend();
  const connection = await stopwatch.time("start the server", () =>
    connect({ model: options.model }, context),
  );
  let closed: Awaited<ReturnType<Connection["close"]>> | undefined;
  try {
    const data = firstRunData({ cities });
    const found = await runSteps({ connection, data, folder: run.folder, settings, stopwatch, context });
    closed = await connection.close();
    const result: ReportInput = {
      ...found,
      settings: { ...settings, backend: backend.name },
      timings: stopwatch.timings(),
      peakMemoryMiB: peakMemory(closed.serverPeakMemory),
      rerun: [`npm start${tiny ? "" : ` -- --model ${options.model}`}`],
    };
    signal.throwIfAborted();
    await finishRun(run.folder, result);
    output.result(result, firstRunTable(result, { folder: run.folder, reused: false }));
  } finally {
    if (!closed) await connection.close();
  }
}

/** This process and the server, each at its own peak, in MiB: at least what both held at any one time. */
function peakMemory(server: number | undefined): number {
  const own = process.resourceUsage().maxRSS * 1024;
  return Math.round((own + (server ?? 0)) / 1024 ** 2);
}
