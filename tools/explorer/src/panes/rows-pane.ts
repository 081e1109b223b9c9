import { type Content, html, type Markup } from "@residua/analysis/plots";
import type { Explorer } from "../explorer.ts";
import type { RunDataset } from "../run/run-dataset.ts";
import {
  commonValues,
  pageOfRows,
  type RowOrder,
  rowOrders,
  type RowsPage,
  scoreRows,
} from "../work/browse-rows.ts";
import { type Choice, chosenScorer, scorerFields, selected } from "./choices.ts";
import { scoreText } from "./number-text.ts";
import { chosenDataset } from "./prompt-field.ts";
import { rawText } from "./raw-text.ts";
import { badField, type Fields } from "./read-fields.ts";
import { rowTable } from "./row-table.ts";

const pageRows = 50;
/** Values of a column that are offered, and named in an answer. */
const [offered, named] = [200, 8];
const pageLimits = { label: "Page", least: 1, most: 1e9, whole: true, otherwise: 1 };
const orderNames: Readonly<Record<RowOrder, string>> = {
  row: "as they stand",
  high: "highest score first",
  low: "lowest score first",
};

export const rowsHeading = "Rows of a dataset";
export const rowsLede =
  "A row is one token’s activations with its labels. Choose a column and a value to see those rows alone.";

export function rowsForm(explorer: Explorer, fields: Fields): Content {
  const chosen = chosenDataset(fields, explorer);
  if (chosen === undefined || explorer.run === null) return noDataset();
  const { datasets, scorers } = explorer.run;
  const column = fields.maybe("column");
  const order = fields.word("order", rowOrders);
  const places = datasets.map(
    ({ place }) =>
      html`<option value="${rawText(place)}" ${selected(place === chosen.place)}>
        ${placeName(place)}
      </option> `,
  );
  return html`<form method="get" action="rows" data-live="change" data-address>
    <label ${datasets.length === 1 && html`hidden`}
      >Dataset
      <select name="dataset">
        ${places}
      </select>
    </label>
    <label
      >Column
      <select name="column">
        <option value="">any</option>
        ${chosen.shown.map(({ name }) => html`<option value="${rawText(name)}" ${selected(name === column)}>${name}</option> `)}
      </select>
    </label>
    <label
      >Value
      <input name="value" list="values" value="${rawText(fields.text("value", ""))}" autocomplete="off" />
    </label>
    ${scorers.length > 0 && scorerFields(scorers, chosenScorer(fields, scorers), "Score by")}
    <label
      >Order
      <select name="order">
        ${rowOrders.map((one) => html`<option value="${one}" ${selected(one === order)}>${orderNames[one]}</option> `)}
      </select>
    </label>
    <p class="buttons"><button>Show the rows</button></p>
  </form>`;
}

export async function rowsResult(explorer: Explorer, fields: Fields, signal: AbortSignal): Promise<Content> {
  const chosen = chosenDataset(fields, explorer);
  if (chosen === undefined) return null;
  const choice = chosenScorer(fields, explorer.run?.scorers ?? []);
  const scored = choice === undefined ? null : await scoreRows(chosen, choice.scorer, choice.layer, signal);
  const filter = await readFilter(chosen, fields);
  const order = fields.word("order", rowOrders);
  const page = pageOfRows(chosen.dataset.rows, filter?.values ?? null, {
    filter: filter?.asked ?? null,
    order,
    scores: scored?.scores ?? null,
    page: fields.number("page", pageLimits),
    pageRows,
  });
  const table =
    page.total === 0 ? noRows(filter) : await rowTable(chosen, { rows: page.rows, scored, choice });
  const status = `${page.total} of ${chosen.dataset.rows} rows, page ${page.page} of ${page.pages}.`;
  return html`<section data-status="${status}">
    <h2>
      ${page.total} of ${chosen.dataset.rows} rows
      <small
        >${[filter?.words ?? "", order === "row" ? "" : orderNames[order]].filter(Boolean).join(", ")}</small
      >
    </h2>
    ${choice !== undefined && scored !== null && scoreNote(choice, scored.threshold, chosen)} ${table}
    ${pager(page, fields)}
    <datalist id="values">
      ${filter?.common.slice(0, offered).map(({ value }) => html`<option value="${rawText(value)}"></option> `)}
    </datalist>
  </section>`;
}

/** The column that is looked at, and the value asked for, if there is one yet. Throws `bad_field`. */
interface Filter {
  readonly asked: { readonly column: string; readonly value: string } | null;
  readonly values: Awaited<ReturnType<RunDataset["column"]>>;
  readonly common: ReturnType<typeof commonValues>;
  readonly words: string;
}

async function readFilter(chosen: RunDataset, fields: Fields): Promise<Filter | null> {
  const [column, value] = [fields.maybe("column"), fields.maybe("value")];
  if (column === undefined) {
    if (value === undefined) return null;
    throw badField(
      "Column",
      "any",
      `a column to look for the value ${JSON.stringify(value)} in, or no value`,
    );
  }
  if (chosen.shown.every(({ name }) => name !== column))
    throw badField("Column", column, `one of ${chosen.shown.map(({ name }) => name).join(", ")}`);
  const values = await chosen.column(column);
  const asked = value === undefined ? null : { column, value };
  return {
    asked,
    values,
    common: commonValues(values, offered),
    words: asked === null ? "" : `${column} is ${value}`,
  };
}

function noRows(filter: Filter | null): Markup {
  const values = filter?.common.slice(0, named).map(({ value, rows }) => `${value} (${rows})`) ?? [];
  return html`<p>
    No row has it.
    ${values.length > 0 && `Values of ${filter?.asked?.column}, with their rows: ${values.join(", ")}${filter!.common.length > named ? ", …" : ""}.`}
  </p>`;
}

function scoreNote({ scorer, layer }: Choice, threshold: number, { place }: RunDataset): Markup {
  const { madeOf } = scorer;
  const own = madeOf?.place === place;
  const caution = own
    ? `${madeOf?.split == null ? "These rows made the direction" : `The rows whose split is ${madeOf.split} made the direction`}: they look better than new ones would.`
    : "Rows that it was trained on look better than new ones would.";
  return html`<p class="note">
    Score: ${scorer.name} at layer ${layer}. ▲ over ${scoreText(threshold)}: ${scorer.above}; ▽ under it:
    ${scorer.below}. ${caution}
  </p>`;
}

function pager({ page, pages }: RowsPage, fields: Fields): Content {
  if (pages === 1) return null;
  const link = (to: number, text: string, rel: string): Content => {
    if (to < 1 || to > pages) return html`<span class="off">${text}</span>`;
    const query = new URLSearchParams();
    for (const name of ["dataset", "column", "value", "scorer", "layer", "order"]) {
      const value = fields.maybe(name);
      if (value !== undefined) query.set(name, value);
    }
    query.set("page", String(to));
    return html`<a href="rows?${rawText(query.toString())}" rel="${rel}">${text}</a>`;
  };
  return html`<nav class="pager" aria-label="Pages of rows">
    ${link(page - 1, "← before", "prev")}
    <span>page ${page} of ${pages}</span> ${link(page + 1, "next →", "next")}
  </nav>`;
}

function placeName(place: string): string {
  return place === "." ? "the run’s own" : place;
}

function noDataset(): Markup {
  return html`<section class="problem">
    <h2>There are no rows to look at</h2>
    <p>
      Start residua explore RUN with the folder of a dataset (residua capture --examples FILE --to RUN makes
      one).
    </p>
  </section>`;
}
