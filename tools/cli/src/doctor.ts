import { examineBackends, type BackendName } from "@residua/analysis";
import { doctorReport } from "./doctor-report.ts";
import type { CommandContext } from "./make-command.ts";
import { UsageError } from "./usage-error.ts";

/** Options of `residua doctor`. */
export interface DoctorOptions {
  backend?: BackendName | "native";
}

/** `residua doctor`: which backends are there, and whether each computes rightly. */
export async function doctor({ backend }: DoctorOptions, { output, signal }: CommandContext): Promise<void> {
  const exams = await examineBackends({
    signal,
    ...(backend !== undefined && { backends: [backend] }),
    onProgress: ({ backend: name, done, total }) => output.progress(`${done + 1}/${total} ${name}`),
  });
  const { text, failure } = doctorReport(exams);
  output.result({ backends: exams, ok: failure === undefined }, text);
  if (failure) throw failure;
  const [only] = exams;
  if (backend !== undefined && only && "reason" in only) {
    throw new UsageError(`--backend ${backend}: it is not there: ${only.reason}`);
  }
}
