import { hasDuplicateKeys, ResiduaError } from "@residua/lens";
import { fileError } from "../../dataset/dataset-error.ts";
import { writeFileAtomic } from "../../files/file-atomic.ts";
import { LayoutError, openRegular } from "../../files/file-read.ts";
import { checkPath } from "../../options/check-path.ts";
import { ProbeError } from "../probe-error.ts";
import { probeFromJSON } from "./probe-json.ts";
import type { TrainedProbe } from "./trained-probe.ts";

/** A probe of a hundred million numbers: more is another kind of file. */
const longest = 2 ** 31;

/** Writes the probe as JSON; the path only ever shows the whole file. Throws DatasetError when it cannot be written. */
export async function saveProbe(path: string, probe: TrainedProbe): Promise<void> {
  await writeFileAtomic(path, [new TextEncoder().encode(`${JSON.stringify(probe)}\n`)]);
}

/** Reads what `saveProbe` wrote: its scores are the same, bit for bit. Throws ProbeError `bad_probe` that names the file and its fault, DatasetError when it cannot be read. */
export async function loadProbe(path: string): Promise<TrainedProbe> {
  checkPath(path, "path");
  try {
    const text = await textOf(path);
    const json: unknown = JSON.parse(text);
    if (hasDuplicateKeys(text, json)) throw new LayoutError("a key that comes twice in an object");
    return probeFromJSON(json);
  } catch (error) {
    if (error instanceof ProbeError) throw badFile(path, error.message, error);
    if (error instanceof SyntaxError) throw badFile(path, `It is not whole JSON (${error.message}).`, error);
    if (error instanceof LayoutError) throw badFile(path, `It is no trained probe: ${error.message}.`, error);
    if (error instanceof ResiduaError) throw error;
    throw fileError(error, path, "read");
  }
}

async function textOf(path: string): Promise<string> {
  const { file, found } = await openRegular(path);
  try {
    if (found.size > longest) throw new LayoutError(`${found.size} bytes`);
    return new TextDecoder("utf-8", { fatal: true }).decode(await file.readFile());
  } catch (error) {
    throw error instanceof TypeError ? new LayoutError("not UTF-8") : error;
  } finally {
    await file.close();
  }
}

function badFile(path: string, fault: string, cause: Error): ProbeError {
  return Object.assign(new ProbeError("bad_probe", `${path}: ${fault}`, { path }), { cause });
}
