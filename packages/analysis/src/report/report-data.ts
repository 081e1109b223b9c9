import { createHash } from "node:crypto";
import { gunzipSync, gzipSync } from "node:zlib";
import { z } from "zod";
import { Markup } from "../plots/html-markup.ts";
import { escapeJson } from "../plots/html-text.ts";
import type { RunFile } from "../runs/run-document.ts";
import { RunError } from "../runs/run-error.ts";

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** A path inside a folder: at most one folder deep, no way out of it, nothing that Windows reads otherwise. */
const fileSchema = z.string().refine((file) => {
  const parts = file.split("/");
  return parts.length <= 2 && parts.every((part) => part !== "" && !/^\.|[\\:\u0000-\u001f]/.test(part));
}, "a file name, or a folder and a file name");

const documentSchema = z.object({
  file: fileSchema,
  bytes: z.int().min(0),
  sha256,
  /** Exact text; or, where that was too long for the page, its UTF-8 bytes by gzip in Base64. */
  text: z.string().optional(),
  gzip: z.base64().optional(),
});

/** The element `residua-data` of a page. */
const reportDataSchema = z.object({
  format: z.literal("residua-report-data"),
  schemaVersion: z.literal(1),
  documents: z.array(documentSchema),
  /** Documents that the page has no room for; at most a few hundred are named, `leftOutCount` counts them all. */
  leftOut: z.array(documentSchema.omit({ text: true, gzip: true })),
  leftOutCount: z.int().min(0),
});
type ReportData = z.infer<typeof reportDataSchema>;
export type DataForm = "text" | "gzip" | "out";

const mostNamed = 300;
const dataId = "residua-data";

/** A document with what identifies it. */
export interface HashedFile extends RunFile {
  bytes: number;
  sha256: string;
}

export function hashedFile({ file, text }: RunFile): HashedFile {
  const bytes = new TextEncoder().encode(text);
  return { file, text, bytes: bytes.byteLength, sha256: createHash("sha256").update(bytes).digest("hex") };
}

/** One document as it stands in the page. */
function embedded(
  { file, text, bytes, sha256: hash }: HashedFile,
  form: DataForm,
): ReportData["documents"][number] {
  const own = { file, bytes, sha256: hash };
  if (form === "text") return { ...own, text };
  // Level 9 and no time in the header: the same bytes give the same page.
  return { ...own, gzip: gzipSync(text, { level: 9 }).toString("base64") };
}

/** Bytes that a document takes in the page. */
export function embeddedSize(document: HashedFile, form: DataForm): number {
  if (form === "out") return 0;
  return new TextEncoder().encode(escapeJson(embedded(document, form))).byteLength + 1;
}

/** The element that holds the documents. */
export function dataElement(documents: readonly HashedFile[], forms: readonly DataForm[]): Markup {
  const left = documents.filter((_, index) => forms[index] === "out");
  const data: ReportData = {
    format: "residua-report-data",
    schemaVersion: 1,
    documents: documents.flatMap((document, index) => {
      const form = forms[index] ?? "out";
      return form === "out" ? [] : [embedded(document, form)];
    }),
    leftOut: left.slice(0, mostNamed).map(({ file, bytes, sha256: hash }) => ({ file, bytes, sha256: hash })),
    leftOutCount: left.length,
  };
  return new Markup(`<script type="application/json" id="${dataId}">${escapeJson(data)}</script>`);
}

/** The documents that a report was made of, exactly as they were, and those that it had no room for. */
export interface ExtractedReport {
  documents: RunFile[];
  leftOut: { file: string; bytes: number; sha256: string }[];
  leftOutCount: number;
}

/**
 * Reads the documents back from a report. `path` is what errors call it. Each text has the SHA-256 that was noted when the report was written.
 * Throws RunError (`report_invalid`) on what is no report, or was cut or changed.
 */
export function extractReport(page: string, path = "report"): ExtractedReport {
  const fault = (found: string): RunError =>
    new RunError("report_invalid", {
      path,
      found,
      advice: "Give a page that residua report wrote, as it was written",
    });
  const start = `<script type="application/json" id="${dataId}">`;
  const from = page.indexOf(start);
  if (from < 0) throw fault("no report with data in it");
  const to = page.indexOf("</script>", from);
  if (to < 0) throw fault("cut: its data have no end");
  let json: unknown;
  try {
    json = JSON.parse(page.slice(from + start.length, to));
  } catch (error) {
    throw fault(`its data are no JSON: ${(error as Error).message}`);
  }
  const parsed = reportDataSchema.safeParse(json);
  if (!parsed.success)
    throw fault(`its data are not as written: ${z.prettifyError(parsed.error).replaceAll(/\s+/g, " ")}`);
  const { documents, leftOut, leftOutCount } = parsed.data;
  if (new Set(documents.map(({ file }) => file.toLowerCase())).size < documents.length)
    throw fault("its data have two documents of one name");
  return {
    documents: documents.map((document) => {
      const text = textOf(document, fault);
      if (hashedFile({ file: document.file, text }).sha256 !== document.sha256)
        throw fault(`${document.file} in it was changed: its SHA-256 is another one`);
      return { file: document.file, text };
    }),
    leftOut,
    leftOutCount,
  };
}

/** Longer documents are never put into a report. */
const longestText = 64 << 20;

function textOf(
  { file, text, gzip }: ReportData["documents"][number],
  fault: (found: string) => RunError,
): string {
  if (text !== undefined) return text;
  if (gzip === undefined) throw fault(`${file} in it has no content`);
  try {
    const bytes = gunzipSync(Buffer.from(gzip, "base64"), { maxOutputLength: longestText });
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw fault(`${file} in it cannot be unpacked: ${(error as Error).message}`);
  }
}
