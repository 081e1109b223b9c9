import { hasDuplicateKeys } from "@residua/lens";
import type { z } from "zod";
import { datasetDescriptionSchema, type DatasetDescription } from "../dataset/health/description-schema.ts";
import { datasetLintSchema, type DatasetLint } from "../dataset/health/lint-schema.ts";
import type { DatasetManifest } from "../dataset/dataset-manifest.ts";
import { manifestOf } from "../dataset/read-manifest.ts";
import { allowedWords } from "../options/allowed-words.ts";
import { shown } from "../options/shown.ts";
import { reportInputSchema, type ReportInput } from "../report/report-schema.ts";
import { resultKinds, type AnyResult, type ResultKind } from "../results/result-kinds.ts";
import { provenanceSchema, type Provenance } from "./provenance.ts";
import { selfTestSchema, type SelfTestDocument } from "./self-test-document.ts";

/** A file of a run folder with its exact text. */
export interface RunFile {
  /** Path inside the run folder, with forward slashes. */
  file: string;
  text: string;
}

/** What a file of a run folder was found to be. */
export type RunContent =
  | { type: "result"; value: AnyResult }
  | { type: "first-run"; value: ReportInput }
  | { type: "dataset"; value: DatasetManifest }
  | { type: "self-test"; value: SelfTestDocument }
  | { type: "lint"; value: DatasetLint }
  | { type: "description"; value: DatasetDescription }
  | { type: "provenance"; value: Provenance };

export type RunDocument = RunFile & RunContent;

/** A document of one type. */
export type DocumentOf<T extends RunContent["type"]> = Extract<RunDocument, { type: T }>;

/** A file that is not shown, and why. */
export interface SkippedFile {
  file: string;
  reason: string;
}

/** Says what a file's text is: a document whose every field was checked, or the reason why it is none. */
export function readDocument({ file, text }: RunFile): RunDocument | SkippedFile {
  const skip = (reason: string): SkippedFile => ({ file, reason });
  let json: unknown;
  try {
    // A byte order mark is no JSON, but some editors write it.
    json = JSON.parse(text.replace(/^\ufeff/, ""));
  } catch (error) {
    if (text.trim() === "") return skip("empty: the command that should have filled it failed or still runs");
    return skip(`not whole JSON, cut or changed: ${(error as Error).message}`);
  }
  if (typeof json !== "object" || json === null || Array.isArray(json))
    return skip(`${kindOfValue(json)}, not one document: put each result into a file of its own`);
  // Of a key that comes twice, readers of other makes take another one than this does.
  if (hasDuplicateKeys(text, json)) return skip("a key comes twice in one object");
  const content = contentOf(json as Record<string, unknown>, text, file);
  return typeof content === "string" ? skip(content) : { file, text, ...content };
}

function kindOfValue(json: unknown): string {
  return Array.isArray(json) ? "a list" : json === null ? "null" : `a ${typeof json}`;
}

function contentOf(json: Record<string, unknown>, text: string, file: string): RunContent | string {
  const { kind, format } = json;
  if (format === "residua-activation-dataset") return manifest(text, file);
  if (format === "residua-provenance") return checked("provenance", provenanceSchema, json);
  if ((Object(json["fingerprint"]) as { format?: unknown }).format === "residua-server-fingerprint")
    return checked("self-test", selfTestSchema, json);
  if (kind === "dataset-lint") return checked("lint", datasetLintSchema, json);
  if (kind === "dataset-description") return checked("description", datasetDescriptionSchema, json);
  if (kind === undefined && ["sweep", "steering", "strips", "versions"].every((field) => field in json))
    return checked("first-run", reportInputSchema, json);
  if (kind === undefined) return "no result: it has no field “kind”, and is no dataset and no self-test";
  if (kind === "trained-probe" || kind === "eraser")
    return `kept weights (${kind}): it has no numbers that a report shows`;
  if (typeof kind === "string" && Object.hasOwn(resultKinds, kind))
    return checked("result", resultKinds[kind as ResultKind].schema as z.ZodType<AnyResult>, json);
  return `of the unknown kind ${shown(kind)}; known are ${Object.keys(resultKinds).join(", ")}`;
}

function checked<T extends RunContent["type"]>(
  type: T,
  schema: z.ZodType<Extract<RunContent, { type: T }>["value"]>,
  json: Record<string, unknown>,
): RunContent | string {
  const parsed = schema.safeParse(json, { error: allowedWords });
  if (parsed.success) return { type, value: parsed.data } as RunContent;
  const [issue] = parsed.error.issues;
  const what = type === "result" ? String(json["kind"]) : type;
  if (issue?.path[0] === "schemaVersion" && issue.path.length === 1)
    return `a ${what} of schemaVersion ${shown(json["schemaVersion"])}; this version of Residua reads ${issue.message}`;
  const place = issue?.path.map(String).join(".") ?? "";
  const more = parsed.error.issues.length - 1;
  return (
    `no whole ${what}: ${place || "the document"}: allowed: ${issue?.message ?? "another form"}` +
    (more > 0 ? ` (and ${more} more faults)` : "")
  );
}

function manifest(text: string, file: string): RunContent | string {
  try {
    return { type: "dataset", value: manifestOf(text.replace(/^\ufeff/, ""), file) };
  } catch (error) {
    return (error as Error).message.replace(`${file}: `, "no whole dataset manifest: ");
  }
}
