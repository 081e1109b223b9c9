import type { ChatTemplateFacts } from "@residua/lens";
import { DatasetError } from "../dataset/dataset-error.ts";
import type { DatasetManifest } from "../dataset/dataset-manifest.ts";

/**
 * The one template that wrote all conversations, as a manifest has it; undefined of none. Throws DatasetError `capture_differs` where
 * two were written by different ones.
 */
export function agreedTemplate(
  path: string,
  written: Iterable<{ id: string; template: ChatTemplateFacts }>,
  kwargs: NonNullable<DatasetManifest["chatTemplate"]>["kwargs"],
): DatasetManifest["chatTemplate"] {
  let first: ChatTemplateFacts | undefined;
  for (const { id, template } of written) {
    first ??= template;
    if (template.source !== first.source || template.sha256 !== first.sha256)
      throw otherTemplate(path, id, template, first);
  }
  return first && { ...first, ...(kwargs && { kwargs }) };
}

function otherTemplate(
  path: string,
  id: string,
  found: ChatTemplateFacts,
  expected: ChatTemplateFacts,
): DatasetError {
  return new DatasetError("capture_differs", {
    path,
    found: `example ${JSON.stringify(id)} was written by ${templateText(found)}`,
    expected: `the chat template of those before it: ${templateText(expected)}`,
    advice: "The server changed its chat template in the middle: collect into another folder.",
  });
}

function templateText({ source, sha256 }: ChatTemplateFacts): string {
  return `a template of the ${source}${sha256 === null ? "" : `, SHA-256 ${sha256}`}`;
}
