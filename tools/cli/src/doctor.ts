import { examineBackends, type BackendExam, type BackendName } from "@residua/analysis";
import { CheckFailedError } from "./check-failed-error.ts";
import { alignColumns } from "./output.ts";
import type { CommandContext } from "./program.ts";
import { UsageError } from "./usage-error.ts";

/** Options of `residua doctor`. */
export interface DoctorOptions {
  backend?: BackendName;
}

/** `residua doctor`: which backends are there, and whether each computes rightly. */
export async function doctor({ backend }: DoctorOptions, { output, signal }: CommandContext): Promise<void> {
  const exams = await examineBackends({
    signal,
    ...(backend !== undefined && { backends: [backend] }),
    onProgress: ({ backend: name, done, total }) => output.progress(`${done + 1}/${total} ${name}`),
  });
  const wrong = exams.filter((exam) => "results" in exam && failures(exam).length > 0);
  output.result({ backends: exams, wrong: wrong.map(({ candidate }) => candidate) }, doctorText(exams));
  if (wrong.length > 0) {
    const names = wrong.map(({ candidate }) => candidate).join(", ");
    throw new CheckFailedError(`computes wrongly: ${names}; the failed checks are listed above`);
  }
  const [only] = exams;
  if (backend !== undefined && only && "reason" in only) {
    throw new UsageError(`--backend ${backend}: it is not there: ${only.reason}`);
  }
}

type Examined = Extract<BackendExam, { results: unknown }>;

const failures = ({ results }: Examined) => results.filter(({ status }) => status === "fail");

function doctorText(exams: readonly BackendExam[]): string {
  const there = exams.filter((exam) => "results" in exam);
  const table = there.map((exam) => {
    const count = (status: string) => exam.results.filter((result) => result.status === status).length;
    return [
      exam.name,
      String(exam.threads ?? "-"),
      String(count("pass")),
      String(count("fail")),
      String(count("known")),
      String(count("skipped")),
      `${(exam.ms / 1000).toFixed(1)} s`,
      exam.device,
    ];
  });
  const header = ["backend", "threads", "passed", "failed", "known", "skipped", "time", "device"];
  const absent = exams.filter((exam) => "reason" in exam).map((exam) => `${exam.candidate}: ${exam.reason}`);
  const reasons = there.flatMap((exam) => exam.reasons.map(({ name, reason }) => `${name}: ${reason}`));
  return [
    ...(table.length > 0 ? [alignColumns([header, ...table])] : []),
    ...section("not there", [...absent, ...reasons]),
    ...section(
      "failed",
      there.flatMap((exam) => failures(exam).map((result) => checkText(exam, result))),
    ),
    ...section("known faults of tfjs 4.22 there, which nothing in Residua computes", known(there)),
    ...section("worth knowing", notes(there)),
  ].join("\n");
}

const section = (title: string, lines: readonly string[]) =>
  lines.length === 0 ? [] : ["", `${title}:`, ...lines.map((line) => `  ${line}`)];

function checkText({ name }: Examined, result: Examined["results"][number]): string {
  const where = result.at === undefined ? "" : `, ${result.at}`;
  return `${name}: ${result.name}: ${result.found} in place of ${result.expected}${where} (allowed: ${result.tolerance})`;
}

const known = (there: readonly Examined[]) =>
  there.flatMap(({ name, results }) =>
    results
      .filter(({ status }) => status === "known")
      .map((result) => `${name}: ${result.name}: ${result.reason}`),
  );

const notes = (there: readonly Examined[]) =>
  there.flatMap(({ name, results }) =>
    results.flatMap((result) =>
      result.note === undefined ? [] : [`${name}: ${result.name}: ${result.note}`],
    ),
  );
