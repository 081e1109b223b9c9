import { type Content, html, Markup, preformatted, tokenStrip } from "@residua/analysis/plots";
import type { Explorer } from "../explorer.ts";
import { ExplorerError } from "../explorer-error.ts";
import type { RunDataset } from "../run/run-dataset.ts";
import { type RowScores, scoreRows } from "../work/browse-rows.ts";
import { type Choice, chosenScorer } from "./choices.ts";
import { chosenDataset } from "./prompt-field.ts";
import { rawText } from "./raw-text.ts";
import { badField, type Fields } from "./read-fields.ts";
import { rowTable } from "./row-table.ts";

/** One example: its prompt, its rows with their scores, and the way to ask the model again. */
export async function exampleResult(
  explorer: Explorer,
  fields: Fields,
  signal: AbortSignal,
): Promise<Content> {
  const chosen = chosenDataset(fields, explorer);
  const id = fields.maybe("id");
  if (chosen === undefined || id === undefined)
    throw badField("Example", id ?? "", "an example of a dataset: follow a link of the rows");
  const examples = await chosen.column("example");
  const rows = examples.flatMap((example, row) => (example === id ? [row] : []));
  if (rows.length === 0)
    throw new ExplorerError(
      "no_such_example",
      `The dataset has no example ${JSON.stringify(id)}: follow a link of the rows.`,
      { id },
    );
  const choice = chosenScorer(fields, explorer.run?.scorers ?? []);
  const scored = choice === undefined ? null : await scoreRows(chosen, choice.scorer, choice.layer, signal);
  return html`<section>
    ${await promptOf(chosen, rows, fields)}
    <h2>
      ${rows.length === 1 ? "Its row" : `Its ${rows.length} rows`}
      <small>${choice !== undefined && `scored by the ${choice.scorer.name} at layer ${choice.layer}`}</small>
    </h2>
    ${scored !== null && choice !== undefined && rows.length > 1 && (await rowStrip(explorer, chosen, rows, scored, choice))}
    ${await rowTable(chosen, { rows, scored, choice, without: "example" })}
  </section>`;
}

async function promptOf(chosen: RunDataset, rows: readonly number[], fields: Fields): Promise<Markup> {
  const texts = chosen.dataset.columns.includes("text") ? await chosen.column("text") : [];
  const prompt = rows.map((row) => texts[row]).find((text) => typeof text === "string");
  if (typeof prompt !== "string")
    return html`<p class="note">
      The dataset does not keep this example’s prompt as text, so it cannot be asked again from here.
    </p>`;
  const kept = ["scorer", "layer"].map((name) => {
    const value = fields.maybe(name);
    return value !== undefined && html`<input type="hidden" name="${name}" value="${rawText(value)}" />`;
  });
  return html`<h2>Its prompt</h2>
    <pre class="text" dir="auto" tabindex="0" aria-label="Prompt">${preformatted(prompt)}</pre>
    <form method="post" action="tokens">
      <textarea name="prompt" hidden>${rawText(prompt)}</textarea>
      ${kept}
      <p class="buttons">
        <button>Score its tokens</button>
        <button class="other" formaction="steer">Steer it</button>
      </p>
    </form>`;
}

/** Where the dataset keeps the example's tokens from the first one on: a strip counts them from 0. */
async function rowStrip(
  { work }: Explorer,
  chosen: RunDataset,
  rows: readonly number[],
  { scores, threshold }: RowScores,
  { scorer, layer }: Choice,
): Promise<Content> {
  const { columns } = chosen.dataset;
  if (!columns.includes("token") || !columns.includes("position")) return null;
  const [texts, positions, ids] = await Promise.all([
    chosen.column("token"),
    chosen.column("position"),
    columns.includes("token_id") ? chosen.column("token_id") : [],
  ]);
  if (!rows.every((row, i) => positions[row] === i)) return null;
  // A row's token has no text where it is the model's begin: its id tells, where the server does.
  const bos = await work.lens.describe(work.model).then(
    ({ bosTokenId }) => bosTokenId.value,
    () => undefined,
  );
  const textOf = (row: number): string | null => {
    const text = texts[row];
    if (typeof text === "string") return text;
    return bos !== undefined && ids[row] === bos ? "BOS" : null;
  };
  const strip = tokenStrip({
    tokens: rows.map((row) => ({
      id: (ids[row] ?? null) as number | null,
      text: textOf(row),
    })),
    scores: rows.map((row) => scores[row]!),
    label: `${scorer.measures}, layer ${layer}`,
    threshold,
    above: scorer.above,
    below: scorer.below,
  });
  return new Markup(strip.inline());
}
