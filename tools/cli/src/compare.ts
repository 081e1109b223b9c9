import {
  compareRuns,
  readRun,
  renderComparison,
  writeFileAtomic,
  type ComparedNumber,
  type ComparedPair,
  type RunComparison,
} from "@residua/analysis";
import { alignColumns } from "./output.ts";
import { refuseOtherFile } from "./page-file.ts";
import type { CommandContext } from "./make-command.ts";

/** Options of `residua compare`. */
export interface CompareOptions {
  a: string;
  b: string;
  out?: string;
}

/** `residua compare`: what differs between two runs, and whether it can be told from luck. */
export async function compareCommand(
  { a, b, out }: CompareOptions,
  { output }: CommandContext,
): Promise<void> {
  if (out !== undefined) await refuseOtherFile(out);
  const runs = await Promise.all([a, b].map((folder) => readRun(folder)));
  for (const { name, skipped } of runs)
    for (const { file, reason } of skipped) output.progress(`skipped ${name}/${file}: ${reason}`);
  const [first, second] = runs as [(typeof runs)[0], (typeof runs)[0]];
  const comparison = compareRuns(first, second);
  if (out !== undefined) {
    await writeFileAtomic(out, [new TextEncoder().encode(renderComparison(first, second))]);
    output.progress(`written: ${out}`);
  }
  output.result(comparison, comparisonText(comparison));
}

/** A comparison for a reader: settings that differ, obstacles, the differences that stand apart. */
export function comparisonText({ a, b, pairs, summary }: RunComparison): string {
  return [`${a} against ${b}`, ...summary, ...pairs.map(pairText)].join("\n");
}

/** Differences of one result that are told; the page and `--json` have them all. */
const most = 12;

function pairText({ kind, files, settings, obstacles, numbers }: ComparedPair): string {
  const file = files.a === files.b ? files.a : `${files.a}, ${files.b}`;
  const compared = numbers.filter(({ difference }) => difference !== null && difference.low !== null);
  const apart = compared.filter(({ difference }) => difference!.low! > 0 || difference!.high! < 0);
  return [
    "",
    `${kind} (${file})`,
    ...settings.map(({ name, a, b }) => `  ${name}: ${short(a)} / ${short(b)}`),
    ...obstacles.map((obstacle) => `  cannot be compared: ${obstacle}`),
    ...(compared.length > 0
      ? [`  ${apart.length} of ${compared.length} differences stand apart from 0`]
      : []),
    ...(apart.length > 0 ? [alignColumns(apart.slice(0, most).map(differenceRow))] : []),
    ...(apart.length > most ? [`  and ${apart.length - most} more`] : []),
  ].join("\n");
}

function short(value: string | number | boolean | null): string {
  const text = String(value ?? "–");
  return text.length > 70 ? `${text.slice(0, 70)}…` : text;
}

function differenceRow({ metric, of, difference }: ComparedNumber): string[] {
  const place = Object.entries(of).map(([name, value]) => `${name} ${String(value)}`);
  const { value, low, high } = difference!;
  const digits = (number: number | null): string => (number === null ? "–" : number.toFixed(3));
  return [`  ${[metric, ...place].join(", ")}`, `${digits(value)} [${digits(low)}, ${digits(high)}]`];
}
