import { html, type Markup } from "@residua/analysis/plots";
import type { Explorer } from "../explorer.ts";
import { ExplorerError } from "../explorer-error.ts";
import type { RunDataset } from "../run/run-dataset.ts";
import { rawText } from "./raw-text.ts";
import { badField, type Fields } from "./read-fields.ts";

/** The prompt, kept to the character: the line end after the tag is HTML's own. */
export function promptField(prompt: string): Markup {
  return html`<label class="whole"
    >Prompt
    <textarea name="prompt" rows="3" required spellcheck="false" autocomplete="off">
${rawText(prompt)}</textarea>
  </label>`;
}

/** What the form sent. Throws `bad_field` for nothing. */
export function givenPrompt(fields: Fields): string {
  const prompt = fields.maybe("prompt");
  if (prompt === undefined) throw badField("Prompt", "", "a text of at least one character");
  return prompt;
}

/** What a page begins with: the prompt of its form, else the first prompt of the run, else nothing. */
export async function firstPrompt(fields: Fields, { run }: Explorer): Promise<string> {
  const given = fields.maybe("prompt");
  if (given !== undefined) return given;
  for (const dataset of run?.datasets ?? []) {
    if (!dataset.dataset.columns.includes("text")) continue;
    const text = (await dataset.column("text")).find((value) => typeof value === "string");
    if (typeof text === "string") return text;
  }
  return "";
}

/** The dataset that a form names, else the first one. Throws `no_such_dataset`. */
export function chosenDataset(fields: Fields, { run }: Explorer): RunDataset | undefined {
  const place = fields.maybe("dataset");
  const found = run?.datasets.find((one) => place === undefined || one.place === place);
  if (found !== undefined || place === undefined) return found;
  throw new ExplorerError(
    "no_such_dataset",
    `The run has no dataset in ${JSON.stringify(place)}: choose one from the list.`,
    { place },
  );
}
