import { type Content, html, type Markup, preformatted } from "@residua/analysis/plots";
import type { Explorer } from "../explorer.ts";
import {
  type Continuation,
  steeringUnits,
  type SteeredPrompt,
  steerPrompt,
  type SteeringUnit,
} from "../work/steer-prompt.ts";
import { vectorNorm } from "../scorers/project-rows.ts";
import { type Choice, chosenScorer, noScorer, scorerFields, selected } from "./choices.ts";
import { numberText } from "./number-text.ts";
import { firstPrompt, givenPrompt, promptField } from "./prompt-field.ts";
import type { Fields } from "./read-fields.ts";

const limits = {
  scale: { label: "Scale", least: -1e6, most: 1e6, otherwise: 0 },
  tokens: { label: "Tokens to generate", least: 1, most: 512, whole: true, otherwise: 24 },
  temperature: { label: "Temperature", least: 0, most: 2, otherwise: 0 },
  seed: { label: "Seed", least: 0, most: 2 ** 31, whole: true, otherwise: 0 },
} as const;

/** How far the slider goes; the number beside it goes further. */
const sliders: Readonly<Record<SteeringUnit, { most: number; step: number }>> = {
  vector: { most: 4, step: 0.1 },
  stream: { most: 1, step: 0.02 },
};
const unitNames: Readonly<Record<SteeringUnit, string>> = {
  vector: "times the vector as it is",
  stream: "times the stream’s own length",
};

export const steerHeading = "Steered beside plain";
export const steerLede =
  "The vector, times the scale, is added to the stream at every token. The plain text goes the same way with scale 0.";

export async function steerForm(explorer: Explorer, fields: Fields): Promise<Content> {
  const scorers = explorer.run?.scorers ?? [];
  if (scorers.length === 0) return noScorer(explorer.run);
  const choice = chosenScorer(fields, scorers);
  const unit = fields.word("unit", steeringUnits);
  const { most, step } = sliders[unit];
  const scale = fields.number("scale", limits.scale);
  const units = steeringUnits.map(
    (one) =>
      html`<option value="${one}" data-most="${sliders[one].most}" ${selected(one === unit)}>
        ${unitNames[one]}
      </option> `,
  );
  return html`<form method="post" action="steer" data-live="change">
    ${promptField(await firstPrompt(fields, explorer))} ${scorerFields(scorers, choice, "Direction")}
    <div class="scale whole">
      <label class="slider"
        >Scale, to drag
        <input
          type="range"
          data-slider="scale"
          min="${-most}"
          max="${most}"
          step="${step}"
          value="${scale}"
        />
      </label>
      <label
        >Scale
        <input name="scale" type="number" step="any" value="${scale}" data-live-input />
      </label>
      <label
        >Counted in
        <select name="unit">
          ${units}
        </select>
      </label>
    </div>
    ${numberField("tokens", limits.tokens, fields)} ${numberField("temperature", limits.temperature, fields)}
    ${numberField("seed", limits.seed, fields)}
    <p class="buttons">
      <button>Continue the prompt</button>
      <button class="other" formaction="tokens" data-page>Score its tokens</button>
    </p>
  </form>`;
}

function numberField(
  name: "tokens" | "temperature" | "seed",
  limit: (typeof limits)[typeof name],
  fields: Fields,
): Markup {
  const { label, least, most } = limit;
  return html`<label
    >${label}
    <input
      name="${name}"
      type="number"
      min="${least}"
      max="${most}"
      step="${name === "temperature" ? "any" : "1"}"
      value="${fields.number(name, limit)}"
    />
  </label>`;
}

export async function steerResult(explorer: Explorer, fields: Fields, signal: AbortSignal): Promise<Content> {
  const choice = chosenScorer(fields, explorer.run?.scorers ?? []);
  if (choice === undefined) return null;
  const asked = {
    ...choice,
    prompt: givenPrompt(fields),
    scale: fields.number("scale", limits.scale),
    unit: fields.word("unit", steeringUnits),
    maxTokens: fields.number("tokens", limits.tokens),
    temperature: fields.number("temperature", limits.temperature),
    seed: fields.number("seed", limits.seed),
  };
  return sideBySide(await steerPrompt(explorer.work, asked, signal), asked);
}

type Asked = Choice & { readonly prompt: string; readonly scale: number; readonly unit: SteeringUnit };

function sideBySide(found: SteeredPrompt, asked: Asked): Markup {
  const { plain, steered, hints } = found;
  const { prompt, scale, scorer, layer } = asked;
  const same = sharedStart(plain.text, steered.text);
  return html`<section data-status="${statusOf(scale, hints)}" data-most="${sliderEnd(found)}">
    <div class="beside">
      ${column({ title: "Plain", about: "scale 0", prompt, text: plain, same })}
      ${column({ title: "Steered", about: `scale ${numberText(scale)}, ${scorer.name}, layer ${layer}`, prompt, text: steered, same })}
    </div>
    <ul class="hints">
      ${hints.map(
        ({ kind, text }) =>
          html`<li class="${kind}"><b>${kind === "damage" ? "Damage?" : "Note:"}</b> ${text}</li> `,
      )}
    </ul>
    <p class="note">${addedText(found, asked)}</p>
  </section>`;
}

function column({
  title,
  about,
  prompt,
  text,
  same,
}: {
  title: string;
  about: string;
  prompt: string;
  text: Continuation;
  same: number;
}): Markup {
  const ended = text.finishReason === "stop" ? ", and the model ended" : "";
  const rest = text.text.slice(same);
  // Parts, not one template: white space between them would belong to the text.
  const parts = [
    html`<span class="prompt">${preformatted(prompt)}</span>`,
    html`<span class="made">${preformatted(text.text.slice(0, same))}</span>`,
    rest !== "" && html`<mark>${preformatted(rest)}</mark>`,
  ];
  return html`<article>
    <h2>${title} <small>${about}</small></h2>
    <pre class="text" dir="auto" tabindex="0" aria-label="${title} text">${parts}</pre>
    <p class="note">
      ${text.tokens} ${text.tokens === 1 ? "token" : "tokens"}${ended};
      ${text.loops ? "repeats itself" : "no loop"}
    </p>
  </article>`;
}

/** Told to who cannot see the texts change. */
function statusOf(scale: number, hints: SteeredPrompt["hints"]): string {
  if (scale === 0) return "Scale 0: both texts are the plain one.";
  const damage = hints.filter(({ kind }) => kind === "damage").length;
  const signs =
    damage === 0 ? "no damage seen in this text" : `${damage} ${damage === 1 ? "sign" : "signs"} of damage`;
  return `Steered at scale ${numberText(scale)}: ${signs}.`;
}

/** The scale at which what is added is half as long again as the stream, as a round number: further out nothing is left. */
function sliderEnd({ unitShare }: SteeredPrompt): number {
  if (unitShare === null) return sliders.vector.most;
  const most = 1.5 / unitShare;
  const power = 10 ** Math.floor(Math.log10(most));
  return Number(
    (power * ([1, 1.5, 2, 3, 4, 5, 8].find((digit) => digit * power >= most) ?? 10)).toPrecision(3),
  );
}

/** How many characters both texts begin with; never half of a character. */
function sharedStart(a: string, b: string): number {
  let length = 0;
  const other = b[Symbol.iterator]();
  for (const char of a) {
    if (other.next().value !== char) break;
    length += char.length;
  }
  return length;
}

function addedText({ direction, origin, share }: SteeredPrompt, { scale, unit, scorer }: Asked): string {
  const source = `The vector: ${scorer.name} (${origin}).`;
  const marked = "Marked: from where the two texts part.";
  if (unit === "stream")
    return `Added at each token: ${numberText(scale)} times the length of the stream there. ${source} ${marked}`;
  const norm = vectorNorm(direction.vector);
  const added = `Added at each token: ${numberText(scale)} × ${numberText(norm)} = ${numberText(scale * norm)} long`;
  const compared =
    share === null
      ? ""
      : `, ${numberText(share * 100)} % of the stream’s own length at the prompt’s last token`;
  return `${added}${compared}. ${source} ${marked}`;
}
