import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { freeRunName, openDataset, reportInputSchema, type ReportInput } from "@residua/analysis";
import type { FirstRunSettings } from "./first-run.ts";

/** Where a run goes: a folder to fill, or one that holds the same run, finished. */
export interface ChosenRun {
  readonly folder: string;
  readonly finished?: ReportInput;
  /** Why it is not the folder that was named. */
  readonly note?: string;
}

/**
 * Takes `base` when it is free or holds an unfinished run; gives back a finished run with equal settings; takes the next
 * free name (`base-2`, …) when what is there is another run or is damaged. Nothing that is there is ever overwritten.
 */
export async function chooseRun(
  base: string,
  { settings, fresh }: { settings: FirstRunSettings; fresh: boolean },
): Promise<ChosenRun> {
  const other = async (why: string): Promise<ChosenRun> => {
    const folder = await freeRunName(base);
    return { folder, note: `${base} ${why}: it stays as it is, and this run goes to ${folder}` };
  };
  const result = await readResult(join(base, "result.json"));
  if (result === "absent")
    return fresh && (await freeRunName(base)) !== base ? other("is there already") : { folder: base };
  if (fresh) return other("holds a finished run");
  if (result === "damaged") return other("holds a result that cannot be read");
  if (!sameSettings(result, settings)) return other("holds a run with other settings");
  try {
    await openDataset(base);
  } catch (error) {
    return other(`is damaged (${(error as Error).message})`);
  }
  return { folder: base, finished: result };
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
