import { installNative, planNative, type NativePlan } from "@residua/analysis/native-backend";
import type { CommandContext } from "./make-command.ts";
import { alignColumns } from "./output.ts";
import { UsageError } from "./usage-error.ts";

/** Options of `residua backend install`. */
export interface BackendInstallOptions {
  cuda?: boolean;
  /** The same in the words of `backend remove`. */
  variant?: "cpu" | "cuda";
  from?: string;
  dryRun?: boolean;
}

/** `residua backend install`: builds the native backend into the cache folder, or says what that would do. */
export async function backendInstall(
  { cuda = false, variant = cuda ? "cuda" : "cpu", from, dryRun = false }: BackendInstallOptions,
  { output, signal }: CommandContext,
): Promise<void> {
  if (cuda && variant === "cpu")
    throw new UsageError("--cuda and --variant cpu given; leave out one of them");
  const options = {
    variant,
    ...(from !== undefined && { from }),
  };
  const plan = planNative(options);
  if (dryRun) return output.result(plan, planText(plan, from === undefined ? "fetch" : "copy"));
  if (!plan.installed) {
    output.progress(
      `To ${from === undefined ? "fetch" : "copy"}: ${size(plan.fetchBytes)}; on disk in the end: ${size(plan.diskBytes)}.`,
    );
  }
  const done = await installNative({ ...options, signal, onStep: (step) => output.progress(step) });
  const words = plan.installed ? "was installed already" : "is installed";
  output.result(
    done,
    `the native backend (${done.variant}, TensorFlow ${done.tensorflow}) ${words}: ${done.folder}`,
  );
}

function planText(plan: NativePlan, verb: "fetch" | "copy"): string {
  if (plan.installed) return `installed already, nothing would be done: ${plan.folder}`;
  const rows = plan.steps.map(({ what, bytes, done }) => [
    what,
    bytes === null ? "" : size(bytes),
    done ? "there" : "",
  ]);
  const commands = plan.steps.filter(({ done }) => !done).map(({ command }) => `  ${command}`);
  return [
    alignColumns(rows),
    "",
    `to ${verb} ${size(plan.fetchBytes)}, on disk in the end ${size(plan.diskBytes)}: ${plan.folder}`,
    "",
    "by these commands:",
    ...commands,
  ].join("\n");
}

/** Bytes for a person. */
export function size(bytes: number): string {
  if (bytes < 1e6) return `${Math.ceil(bytes / 1e3)} kB`;
  return bytes < 1e9 ? `${Math.round(bytes / 1e6)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
}
