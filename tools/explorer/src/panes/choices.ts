import { type Content, html, Markup } from "@residua/analysis/plots";
import { ExplorerError } from "../explorer-error.ts";
import type { Run } from "../run/open-run.ts";
import type { Scorer } from "../scorers/scorer.ts";
import { rawText } from "./raw-text.ts";
import { badField, type Fields } from "./read-fields.ts";

/** A scorer and one of its layers. */
export interface Choice {
  readonly scorer: Scorer;
  readonly layer: number;
}

/** What the form named, else the first scorer two thirds up its layers, where meaning mostly is. Undefined: there is none. Throws ExplorerError. */
export function chosenScorer(fields: Fields, scorers: readonly Scorer[]): Choice | undefined {
  const id = fields.maybe("scorer");
  const scorer = id === undefined ? scorers[0] : scorers.find((one) => one.id === id);
  if (scorer === undefined) {
    if (id === undefined) return undefined;
    throw new ExplorerError(
      "no_such_scorer",
      `The run has no probe or direction ${JSON.stringify(id)}: choose one from the list.`,
      { id },
    );
  }
  const { layers, name } = scorer;
  const given = fields.maybe("layer");
  if (given === undefined) return { scorer, layer: layers[Math.floor((layers.length * 2) / 3)]! };
  const layer = Number(given);
  if (layers.includes(layer)) return { scorer, layer };
  throw badField("Layer", given, `${layers.join(", ")} for the ${name}`);
}

/** Every scorer, and the layers of them all; the page's script leaves the chosen one's. */
export function scorerFields(scorers: readonly Scorer[], choice: Choice | undefined, label: string): Markup {
  const layers = [...new Set(scorers.flatMap((one) => one.layers))].sort((a, b) => a - b);
  const options = scorers.map(
    (one) =>
      html`<option
        value="${rawText(one.id)}"
        data-layers="${one.layers.join(" ")}"
        ${selected(one === choice?.scorer)}
      >
        ${one.name} (${layersText(one.layers)})
      </option> `,
  );
  return html`<label class="wide"
      >${label}
      <select name="scorer">
        ${options}
      </select>
    </label>
    <label
      >Layer
      <select name="layer">
        ${layers.map((layer) => html`<option ${selected(layer === choice?.layer)}>${layer}</option> `)}
      </select>
    </label>`;
}

export function selected(is: boolean): Content {
  return is && new Markup("selected");
}

function layersText(layers: readonly number[]): string {
  const [first, last] = [layers[0]!, layers.at(-1)!];
  if (layers.length === 1) return `layer ${first}`;
  const whole = last - first + 1 === layers.length;
  return whole ? `layers ${first} to ${last}` : `layers ${layers.join(", ")}`;
}

/** In the place of a form that has nothing to choose from. */
export function noScorer(run: Run | null): Markup {
  return html`<section class="problem">
    <h2>There is nothing to score with</h2>
    <p>
      ${
        run === null
          ? "No run was named. Start residua explore RUN with a folder that has a dataset, trained probes (saveProbe) or directions (residua steer --save)."
          : "The run has no probe, no direction and no label of two values. Train a probe (trainProbe, saveProbe) or save a direction (residua steer --save) in its folder, and start again."
      }
    </p>
  </section>`;
}
