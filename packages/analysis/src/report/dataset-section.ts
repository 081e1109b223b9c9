import { html, type Content, type Markup } from "../plots/html-markup.ts";
import { counted } from "../plots/plot-format.ts";
import type { DatasetManifest } from "../dataset/dataset-manifest.ts";
import type { DocumentOf } from "../runs/run-document.ts";
import { fingerprintOf, type FingerprintDocument } from "../runs/self-test-document.ts";
import { layerRanges } from "./report-captured.ts";
import { factList, viewTable, wordsCell } from "./report-table.ts";
import { brief } from "./views/result-view.ts";

type Facts = (readonly [string, Content])[];

/** Datasets of a run: what was captured, of which model, by which server. */
export function datasetSection(datasets: readonly DocumentOf<"dataset">[], most: number): Markup | undefined {
  if (datasets.length === 0) return undefined;
  return html`<section id="datasets">
    <h2>${datasets.length === 1 ? "The dataset" : "The datasets"}</h2>
    ${datasets.slice(0, most).map(({ file, value }) => {
      const server = fingerprintOf(value.server);
      return html`<h3>${file}</h3>
        ${factList(manifestFacts(value))}
        ${
          server !== undefined &&
          html`<h4>The server that computed it</h4>
            ${factList(fingerprintFacts(server))}`
        }`;
    })}
    ${
      datasets.length > most &&
      html`<p class="note">
        ${counted(datasets.length - most, "more dataset")} are not shown here, for the size of the page.
      </p>`
    }
    ${viewTable(columnsTable(datasets.slice(0, most)), 60)}
  </section>`;
}

function manifestFacts(manifest: DatasetManifest): Facts {
  const { origin } = manifest;
  const how =
    origin.kind === "collected"
      ? `captured, at most ${counted(origin.plan.maxTokens, "token")} generated an example`
      : brief(origin.how, 300);
  return [
    ["Model", manifest.model === null ? "not known" : brief(manifest.model)],
    ["Checkpoint", manifest.checkpoint === null ? "not known" : brief(manifest.checkpoint)],
    ["Rows", `${manifest.rows.toLocaleString("en")} from ${counted(manifest.examples, "example")}`],
    ["Layers (from 0)", layerRanges(manifest.layers)],
    ["Hidden size", manifest.hiddenSize.toLocaleString("en")],
    ["Stored as", `${manifest.dtype}, ${counted(manifest.shards.length, "shard")}`],
    ["Rows kept", selectionText(manifest.selection)],
    ["How it came about", how],
    ...(manifest.systemFingerprint === undefined
      ? []
      : [["System fingerprint", brief(manifest.systemFingerprint)] as const]),
    ...(manifest.failures === undefined
      ? []
      : [["Examples that failed", `${manifest.failures.rows} (${manifest.failures.file})`] as const]),
    ["Content hash", manifest.contentHash],
    ["Written by", brief(manifest.createdWith)],
  ];
}

function selectionText(selection: DatasetManifest["selection"]): string {
  if (selection === null) return "not known";
  const { kind, ...rest } = selection;
  const more = Object.entries(rest).map(([name, value]) => `${name} ${JSON.stringify(value)}`);
  return brief([kind, ...more].join(", "), 200);
}

function columnsTable(datasets: readonly DocumentOf<"dataset">[]) {
  const labelled = datasets.flatMap(({ file, value }) =>
    value.columns.filter(({ role }) => role !== "standard").map((column) => ({ file, column })),
  );
  return {
    caption: html`<b>Labels and further columns.</b>`,
    columns: [
      { head: "Column" },
      { head: "type" },
      { head: "role" },
      { head: "may be missing" },
      { head: "in" },
    ],
    rows: labelled.map(({ file, column }) => ({
      head: column.name,
      cells: [
        wordsCell(column.type),
        wordsCell(column.role),
        wordsCell(column.nullable ? "yes" : "no"),
        wordsCell(file),
      ],
    })),
  };
}

/** Which server it was, and what it was found to do. */
export function fingerprintFacts(server: FingerprintDocument): Facts {
  const verdicts = Object.values(server.verdicts);
  const passed = verdicts.filter((verdict) => verdict === "pass").length;
  return [
    ["Fingerprint", server.hash],
    ["Profile", server.profile],
    ["Version", server.version ?? "not told"],
    ["System fingerprint", server.systemFingerprint ?? "not told"],
    ["Plugin", server.plugin ?? "none told"],
    ["Model", brief(server.model)],
    ["Checkpoint", brief(server.checkpoint)],
    ["Layers", server.layers],
    ["Checks passed", `${passed} of ${verdicts.length} that could be decided`],
    [
      "Found to do",
      Object.entries(server.behaviours)
        .map(([name, value]) => `${name}: ${String(value)}`)
        .join(", ") || "nothing",
    ],
    ["Tested", server.date],
  ];
}
