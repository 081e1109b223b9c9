import type { BackendExam } from "@residua/analysis";
import { CheckFailedError } from "./check-failed-error.ts";
import { alignColumns } from "./output.ts";

type Examined = Extract<BackendExam, { results: unknown }>;

const failures = ({ results }: Examined) => results.filter(({ status }) => status === "fail");

/** What the numeric suite found, in words, and the error that it amounts to. */
export function doctorReport(exams: readonly BackendExam[]): { text: string; failure?: CheckFailedError } {
  const wrong = exams.filter((exam) => "results" in exam).filter((exam) => failures(exam).length > 0);
  const names = wrong.map(({ name }) => name).join(", ");
  return {
    text: doctorText(exams),
    ...(wrong.length > 0 && {
      failure: new CheckFailedError(`computes wrongly: ${names}; the failed checks are listed above`),
    }),
  };
}

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
