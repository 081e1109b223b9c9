import { html, type Markup } from "../plots/html-markup.ts";
import { counted } from "../plots/plot-format.ts";
import type { ReportInput } from "./report-schema.ts";
import { factList } from "./report-table.ts";

/** Runs of consecutive layers: "0 to 5, 8". */
export function layerRanges(layers: readonly number[]): string {
  const sorted = [...new Set(layers)].sort((a, b) => a - b);
  const runs: [number, number][] = [];
  for (const layer of sorted) {
    const run = runs.at(-1);
    if (run !== undefined && layer === run[1] + 1) run[1] = layer;
    else runs.push([layer, layer]);
  }
  return runs.map(([from, to]) => (from === to ? String(from) : `${from} to ${to}`)).join(", ");
}

export function capturedSection({ model, dataset, sweep }: ReportInput): Markup {
  const checks = dataset.checks ?? [];
  return html`<section id="captured">
    <h2>What was captured</h2>
    <p>
      ${counted(dataset.examples, "example")} were given to the model. At ${counted(dataset.rows, "token")}
      (${dataset.selection}) its inner state was kept: at each of ${counted(dataset.layers.length, "layer")} a
      row of ${model.hiddenSize.toLocaleString("en")} numbers, which is all that one decoder block hands to
      the next.
    </p>
    ${factList([
      ["Model", model.id],
      ["Checkpoint", model.checkpoint],
      [
        "Size",
        `${counted(model.layers, "layer")}, hidden size ${model.hiddenSize.toLocaleString("en")}` +
          (model.parameters === undefined ? "" : `, ${counted(model.parameters, "parameter")}`),
      ],
      ["Layers kept (from 0)", layerRanges(dataset.layers)],
      ["Rows", `${dataset.rows.toLocaleString("en")} from ${counted(dataset.examples, "example")}`],
      ["Groups", `${dataset.groups.toLocaleString("en")} (rows that share a ${sweep.group} belong together)`],
      [
        sweep.task === "binary" ? "Rows with the label" : "Rows in the sweep",
        sweep.task === "binary"
          ? `${sweep.counts[0]!.toLocaleString("en")} of ${sweep.n.toLocaleString("en")} in the sweep`
          : sweep.n.toLocaleString("en"),
      ],
      ["Stored as", dataset.dtype],
      ["Folder", dataset.folder],
    ])}
    ${
      checks.length > 0 &&
      html`<h3>Checks on what came back</h3>
        <ul class="notes plain">
          ${checks.map(({ code, status, detail }) => html`<li>${status === "pass" ? "✓" : "○"} ${code}: ${status}. ${detail}</li> `)}
        </ul>`
    }
  </section>`;
}
