import { allowedWords } from "../../options/allowed-words.ts";
import { trainedProbeSchema } from "../../results/trained-probe.ts";
import { contentHash } from "../content-hash.ts";
import { ProbeError } from "../probe-error.ts";
import { trainedProbe, type TrainedProbe } from "./trained-probe.ts";

/** The probe of what `toJSON` gave, bit for bit. Throws ProbeError `bad_probe` that names the first fault. */
export function probeFromJSON(json: unknown): TrainedProbe {
  const parsed = trainedProbeSchema.safeParse(json, { error: allowedWords });
  if (!parsed.success) {
    const issue = parsed.error.issues[0]!;
    throw new ProbeError(
      "bad_probe",
      `This is no trained probe: ${issue.path.join(".") || "the document"}; allowed: ${issue.message}.`,
      { issues: parsed.error.issues },
    );
  }
  const { sha256, ...content } = parsed.data;
  if (contentHash(content) === sha256) return trainedProbe(parsed.data);
  throw new ProbeError(
    "bad_probe",
    "The probe is not the one that was saved (its SHA-256 differs): the file was changed.",
    { sha256 },
  );
}
