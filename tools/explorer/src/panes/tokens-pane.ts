import type { TokenScores } from "@residua/analysis";
import { type Content, html, Markup, plotTokenHeatMap, tokenScoresStrip } from "@residua/analysis/plots";
import type { Explorer } from "../explorer.ts";
import { type ScoredPrompt, scorePrompt } from "../work/score-prompt.ts";
import { chosenScorer, noScorer, scorerFields } from "./choices.ts";
import { scoreText } from "./number-text.ts";
import { firstPrompt, givenPrompt, promptField } from "./prompt-field.ts";
import type { Fields } from "./read-fields.ts";

const tokenLimits = { label: "Tokens to generate", least: 1, most: 256, whole: true, otherwise: 1 };

/** More layers than these get the whole width of the page. */
const narrowLayers = 12;

export const tokensHeading = "A prompt, token by token";
export const tokensLede =
  "Each token is scored by a probe or a direction on the model’s residual stream there.";

export async function tokensForm(explorer: Explorer, fields: Fields): Promise<Content> {
  const scorers = explorer.run?.scorers ?? [];
  if (scorers.length === 0) return noScorer(explorer.run);
  const choice = chosenScorer(fields, scorers);
  return html`<form method="post" action="tokens" data-live="change">
    ${promptField(await firstPrompt(fields, explorer))} ${scorerFields(scorers, choice, "Probe or direction")}
    <label
      >Tokens to generate
      <input
        name="generated"
        type="number"
        min="${tokenLimits.least}"
        max="${tokenLimits.most}"
        value="${fields.number("generated", tokenLimits)}"
      />
    </label>
    <p class="buttons">
      <button>Score the tokens</button>
      <button class="other" formaction="steer" data-page>Steer this prompt</button>
    </p>
  </form>`;
}

export async function tokensResult(
  explorer: Explorer,
  fields: Fields,
  signal: AbortSignal,
): Promise<Content> {
  const choice = chosenScorer(fields, explorer.run?.scorers ?? []);
  if (choice === undefined) return null;
  const asked = {
    ...choice,
    prompt: givenPrompt(fields),
    maxTokens: fields.number("generated", tokenLimits),
  };
  const scored = await scorePrompt(explorer.work, asked, signal);
  return scoredTokens(scored);
}

function scoredTokens(scored: ScoredPrompt): Markup {
  const { scores, layer, origin, thresholdIs, notes } = scored;
  const at = scores.layers.find((one) => one.layer === layer)!;
  const count = at.scores.filter((score) => score !== null).length;
  const strip = tokenScoresStrip(scores, { layer });
  return html`<section data-status="${count} ${count === 1 ? "token" : "tokens"} scored at layer ${layer}.">
    <h2>Layer ${layer}</h2>
    ${new Markup(strip.inline())}
    <p class="note">
      Scored by ${origin}. Its sides part at ${scoreText(at.threshold)}, ${thresholdIs}. Bold tokens are the
      model’s own likeliest; the last one has no score, since nothing was computed after it.
    </p>
    ${notes.map((note) => html`<p class="note">${note}</p>`)}
    ${scores.layers.length > 1 && everyLayer(scores)}
    <details>
      <summary>As a table</summary>
      ${scoreTable(scored)}
    </details>
  </section>`;
}

function everyLayer(scores: TokenScores): Markup {
  const figure = plotTokenHeatMap(scores, { width: scores.layers.length > narrowLayers ? 1040 : 640 });
  // Observable Plot names its groups, which only elements with a role may have; the picture as a whole is named.
  const drawing = figure.inline().replaceAll(/(<g\b[^>]*?) aria-label="[^"]*"/g, "$1");
  return html`<h2>Every layer</h2>
    <figure>
      <div class="scroll" tabindex="0" role="group" aria-label="Picture, scrolls sideways">
        ${new Markup(drawing)}
      </div>
      <figcaption>${figure.caption}</figcaption>
    </figure>`;
}

function scoreTable({ scores, layer }: ScoredPrompt): Markup {
  const { tokens, layers } = scores;
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Scores of each token at each layer">
    <table>
      <thead>
        <tr>
          <th scope="col">Position</th>
          <th scope="col" class="words">Token</th>
          <th scope="col">Id</th>
          ${layers.map((one) => html`<th scope="col" ${one.layer === layer && new Markup('class="chosen"')}>Layer ${one.layer}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${tokens.map(
          ({ position, text, id, role }) =>
            html`<tr>
              <th scope="row">${position}</th>
              <td class="words">
                ${text === null ? "no text" : JSON.stringify(text)}${role === "generated" && " (generated)"}
              </td>
              <td>${id ?? "–"}</td>
              ${layers.map((one) => {
                const score = one.scores[position] ?? null;
                return html`<td ${one.layer === layer && new Markup('class="chosen"')}>
                  ${score === null ? "–" : scoreText(score)}
                </td>`;
              })}
            </tr> `,
        )}
      </tbody>
    </table>
  </div>`;
}
