import { resolve } from "node:path";
import { lockFile } from "./lock-file.ts";
import { makeFolder } from "./make-folder.ts";
import { ServerError } from "./server-error.ts";

interface OwnFiles {
  readonly ledger?: string;
  readonly jobs?: string;
}

/**
 * Keeps the ledger and the jobs folder for this server alone, and returns what gives them back. Throws ServerError
 * `ledger_invalid` or `jobs_folder_invalid`.
 */
export async function lockOwnFiles({ ledger, jobs }: OwnFiles): Promise<() => void> {
  const unlock: (() => void)[] = [];
  const release = () => unlock.forEach((one) => one());
  try {
    if (ledger !== undefined) unlock.push(lockFile(`${ledger}.lock`));
  } catch (cause) {
    throw failure("ledger_invalid", "ledger: the file cannot be read and written", "ledger", cause);
  }
  try {
    if (jobs !== undefined) {
      await makeFolder(jobs);
      unlock.push(lockFile(`${resolve(jobs)}.lock`));
    }
  } catch (cause) {
    release();
    throw failure("jobs_folder_invalid", "jobs: the folder cannot be read", "jobs", cause);
  }
  return release;
}

function failure(code: string, unusable: string, name: string, cause: unknown): ServerError {
  const inUse = cause instanceof Error && (cause as NodeJS.ErrnoException).code === undefined;
  return new ServerError(code, inUse ? `${name}: ${cause.message}` : unusable, {}, { cause });
}
