import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import {
  freeRunName,
  openDataset,
  readRun,
  renderRun,
  reportInputSchema,
  writeFileAtomic,
  type ReportInput,
  type Run,
  type RunFile,
} from "@residua/analysis";
import type { FirstRunSettings } from "./first-run.ts";

const reportName = "report.html";
const resultName = "result.json";
const settingsName = "run-settings.json";

/** Where a run goes: a folder to fill, or one that holds the same run, finished. */
export interface ChosenRun {
  readonly folder: string;
  readonly finished?: ReportInput;
  /** Why it is not the folder that was named. */
  readonly note?: string;
}

/**
 * Of `base`, `base-2`, … takes the first that is free or holds an unfinished run, or gives back the first that holds a
 * finished run with equal settings; another run and a damaged one stay as they are. `fresh` takes a free name.
 */
export async function chooseRun(
  base: string,
  { settings, fresh }: { settings: FirstRunSettings; fresh: boolean },
): Promise<ChosenRun> {
  const free = await freeRunName(base);
  if (fresh) return { folder: free };
  let note: string | undefined;
  for (let n = 1; ; n++) {
    const folder = n === 1 ? base : `${base}-${n}`;
    const found = await lookInto(folder, settings);
    if (typeof found === "string") note ??= `${folder} ${found}: it stays as it is`;
    else return { folder, ...found, ...(note && { note: `${note}, and this run is in ${folder}` }) };
  }
}

/** A finished run with these settings, room for one, or what stands in the way. */
async function lookInto(
  folder: string,
  settings: FirstRunSettings,
): Promise<{ finished?: ReportInput } | string> {
  const result = await readResult(join(folder, resultName));
  if (result === "absent") return lookIntoUnfinished(folder, settings);
  if (result === "damaged") return "holds a result that cannot be read";
  if (!sameSettings(result, settings)) return "holds a run with other settings";
  try {
    await openDataset(folder);
    return { finished: result };
  } catch (error) {
    return `is damaged (${(error as Error).message})`;
  }
}

async function lookIntoUnfinished(
  folder: string,
  settings: FirstRunSettings,
): Promise<{ finished?: never } | string> {
  const names = await readdir(folder).catch(() => []);
  if (names.length === 0) return {};
  const begun: unknown = await readFile(join(folder, settingsName), "utf8")
    .then(JSON.parse)
    .catch(() => undefined);
  if (begun === undefined) return "holds something else";
  return isDeepStrictEqual(begun, settings) ? {} : "holds an unfinished run with other settings";
}

/** Notes what a run was asked for, so that only the same run goes on in its folder. */
export async function beginRun(folder: string, settings: FirstRunSettings): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFileAtomic(join(folder, settingsName), [new TextEncoder().encode(JSON.stringify(settings))]);
}

/** Writes the report and then the result, which marks the run as finished. */
export async function finishRun(folder: string, result: ReportInput): Promise<void> {
  const json = `${JSON.stringify(result, null, 1)}\n`;
  await writePage(
    renderRun(await finishedRun(folder, [{ file: resultName, text: json }])),
    join(folder, reportName),
  );
  await writeFileAtomic(join(folder, resultName), [new TextEncoder().encode(json)]);
  await rm(join(folder, settingsName), { force: true });
}

/** Renders the report of a finished run again where it is gone, changed, or further results came into its folder. */
export async function mendReport(folder: string): Promise<void> {
  const file = join(folder, reportName);
  const page = renderRun(await finishedRun(folder));
  const there = await readFile(file, "utf8").catch(() => undefined);
  if (there !== page) await writePage(page, file);
}

/** The mark of an unfinished run is no part of what is reported. */
async function finishedRun(folder: string, also: readonly RunFile[] = []): Promise<Run> {
  const run = await readRun(folder, { also });
  return { ...run, skipped: run.skipped.filter(({ file }) => file !== settingsName) };
}

async function writePage(page: string, to: string): Promise<void> {
  await writeFileAtomic(to, [new TextEncoder().encode(page)]);
}

async function readResult(file: string): Promise<ReportInput | "absent" | "damaged"> {
  const text = await readFile(file, "utf8").catch(() => undefined);
  if (text === undefined) return "absent";
  try {
    return reportInputSchema.safeParse(JSON.parse(text)).data ?? "damaged";
  } catch {
    return "damaged";
  }
}

function sameSettings(result: ReportInput, settings: FirstRunSettings): boolean {
  return Object.entries(settings).every(([name, value]) => result.settings?.[name] === value);
}
