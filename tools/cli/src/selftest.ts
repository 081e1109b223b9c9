import { existsSync } from "node:fs";
import { join } from "node:path";
import {
  failedNeeds,
  openUnembedding,
  type SelfTestCode,
  type SelfTestNeed,
  selfTestNeeds,
} from "@residua/lens";
import { modelFolder } from "@residua/tiny-model";
import { serverSettings, withConnection, type ServerOptions } from "./connect.ts";
import type { CommandContext } from "./make-command.ts";
import { resultFile, type ResultFileOptions } from "./result-file.ts";
import { selfTestText } from "./selftest-text.ts";
import { UsageError } from "./usage-error.ts";

/** Options of `residua selftest`. */
export interface SelfTestCommandOptions extends ServerOptions, ResultFileOptions {
  needs?: string;
  checks?: string;
  intrusive?: boolean;
  weights?: string;
}

/** A need of the user's plan is not met: exit code 3. */
export class NeedsError extends Error {
  override readonly name = "NeedsError";
  readonly code = "needs_failed";
}

/** `residua selftest`: what a server really does, check by check. */
export async function selfTestCommand(
  options: SelfTestCommandOptions,
  context: CommandContext,
): Promise<void> {
  const { output, signal } = context;
  const write = await resultFile(options, context);
  const needs = parseNeeds(options.needs ?? "capture,steering");
  const checks = options.checks?.split(",").map((code) => code.trim().toUpperCase()) as
    SelfTestCode[] | undefined;
  const report = await withConnection(options, context, async ({ lens, model, embedded }) => {
    const weights = options.weights ?? (embedded ? weightsOf(options.model) : undefined);
    const unembedding = weights === undefined ? undefined : await openUnembedding(weights);
    try {
      return await lens.selfTest({
        model,
        signal,
        intrusive: options.intrusive ?? embedded,
        ...(checks && { checks }),
        ...(unembedding && { unembedding }),
        onProgress: ({ done, total, code, title }) =>
          output.progress(`${done + 1}/${total} ${code} ${title}`),
      });
    } finally {
      await unembedding?.close();
    }
  });
  // Who names some checks and no needs asks about those checks: only one that failed counts.
  const some = checks !== undefined && options.needs === undefined;
  const unmet = failedNeeds(report.results, needs).filter(({ failed }) => !some || failed.length > 0);
  const failed = [...new Set(unmet.flatMap((need) => need.failed.map(({ code }) => code)))];
  const shown = unmet.map(({ need, reason }) => ({ need, reason }));
  const document = { ...report, needs, failed, unmet: shown };
  await write(document, { settings: serverSettings(options) });
  output.result(document, selfTestText(report));
  if (unmet.length > 0) {
    const words = shown.map(({ need, reason }) => `${need} cannot be relied on here: ${reason}`);
    throw new NeedsError(words.join("; "));
  }
}

function parseNeeds(text: string): SelfTestNeed[] {
  const names = Object.keys(selfTestNeeds) as SelfTestNeed[];
  return text.split(",").map((part) => {
    const need = names.find((name) => name === part.trim());
    if (need !== undefined) return need;
    throw new UsageError(`--needs: "${part.trim()}" is not allowed; give some of ${names.join(", ")}`);
  });
}

/** The folder that the embedded server runs, where its weights are safetensors. */
function weightsOf(model = "tiny"): string | undefined {
  const folder = model === "tiny" ? modelFolder : model;
  return existsSync(join(folder, "config.json")) ? folder : undefined;
}
