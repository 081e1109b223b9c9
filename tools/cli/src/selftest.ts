import { existsSync } from "node:fs";
import { join } from "node:path";
import {
  failedNeeds,
  openUnembedding,
  type SelfTestCode,
  type SelfTestNeed,
  selfTestNeeds,
  type SelfTestReport,
} from "@residua/lens";
import { modelFolder } from "@residua/tiny-model";
import { withConnection, type ServerOptions } from "./connect.ts";
import type { CommandContext } from "./program.ts";
import { selfTestText } from "./selftest-text.ts";
import { UsageError } from "./usage-error.ts";

/** Options of `residua selftest`. */
export interface SelfTestCommandOptions extends ServerOptions {
  needs: string;
  checks?: string;
  intrusive?: boolean;
  weights?: string;
}

/** A check that the user's plan stands on failed: exit code 3. */
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
  const needs = parseNeeds(options.needs);
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
  const failed = failedNeeds(report.results, needs);
  output.result({ ...report, needs, failed: failed.map(({ code }) => code) }, selfTestText(report));
  if (failed.length > 0) throw new NeedsError(needsMessage(report, needs, failed));
}

function needsMessage(
  { results }: SelfTestReport,
  needs: readonly SelfTestNeed[],
  failed: SelfTestReport["results"],
): string {
  const broken = needs.filter((need) => failedNeeds(results, [need]).length > 0);
  return `${broken.join(", ")} cannot be relied on here: ${failed.map(({ code, meaning }) => `${code} failed (${meaning})`).join("; ")}`;
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
