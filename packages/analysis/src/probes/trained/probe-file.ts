import { type DocumentKind, readDocument, writeDocument } from "../document-file.ts";
import { probeFromJSON } from "./probe-json.ts";
import type { TrainedProbe } from "./trained-probe.ts";

const kind: DocumentKind<TrainedProbe> = { code: "bad_probe", name: "trained probe", read: probeFromJSON };

/**
 * Writes the probe as JSON; the path only ever shows the whole file. Anything but a trained probe is refused, and leaves the file as
 * it is: InvalidRequestError, ProbeError `bad_probe`. Throws DatasetError when it cannot be written.
 */
export async function saveProbe(path: string, probe: TrainedProbe): Promise<void> {
  await writeDocument(path, probe, kind);
}

/** Reads what `saveProbe` wrote: its scores are the same, bit for bit. Throws ProbeError `bad_probe` that names the file and its fault, DatasetError when it cannot be read. */
export async function loadProbe(path: string): Promise<TrainedProbe> {
  return await readDocument(path, kind);
}
