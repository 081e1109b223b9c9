import { html, type Markup } from "../plots/html-markup.ts";
import { signed } from "../plots/plot-format.ts";
import type { ReportInput } from "./report-schema.ts";
import { factList } from "./report-table.ts";

export function settingsSection({
  sweep,
  steering,
  settings,
  timings,
  versions,
  peakMemoryMiB,
}: ReportInput): Markup {
  const total = timings.reduce((sum, { seconds }) => sum + seconds, 0);
  const seconds = (value: number): string => `${signed(value, value < 10 ? 2 : 1)} s`;
  return html`<section id="settings">
    <h2>Settings, seeds, versions, timings</h2>
    <h3>Sweep</h3>
    <p class="note">Split and intervals: ${sweep.split}</p>
    ${factList([
      ["Folds", `${sweep.folds} outer`],
      ["Bootstrap draws", sweep.draws.toLocaleString("en")],
      ["Shuffles, random directions", `${sweep.shuffles}, ${sweep.randomDirections}`],
      ["Seed", sweep.seed],
      ["Random numbers", sweep.random],
    ])}
    <h3>Steering</h3>
    ${factList([
      ["Direction", steering.directionMethod],
      ["Length of the direction", signed(steering.directionNorm, 4)],
      ["Bootstrap draws", steering.draws.toLocaleString("en")],
      ["Seed", steering.seed],
      ["Random numbers", steering.random],
    ])}
    ${
      settings !== undefined &&
      html`<h3>Run</h3>
        ${factList(Object.entries(settings).map(([name, value]) => [name, String(value)]))}`
    }
    <h3>Versions</h3>
    ${factList(Object.entries(versions))}
    <h3>Time and memory</h3>
    ${factList([
      ...timings.map(({ step, seconds: taken }) => [step, seconds(taken)] as const),
      ["All steps", seconds(total)],
      ...(peakMemoryMiB === undefined ? [] : [["Peak memory", `${peakMemoryMiB.toFixed(0)} MiB`] as const]),
    ])}
  </section>`;
}

const terms: [string, string][] = [
  ["Layer", "One decoder block of the model. Layer L here is what block L hands on, counted from 0."],
  [
    "Group",
    "Rows that share something, such as the city they speak of. They stay together in every split and every resample.",
  ],
  [
    "95% interval",
    "Where the number would fall in 95 of 100 repeats with other groups of the same kind to score, the probes as they are; estimated by drawing whole groups again and again. Whether there is anything to find is told by the controls and p, not by an interval that leaves out 0.5.",
  ],
  [
    "AUROC",
    "Chance that a row with the label scores higher than a row without it. 0.5 is a coin toss, 1 is perfect.",
  ],
  [
    "Difference of means",
    "The probe that points from the average row without the label to the average row with it.",
  ],
  [
    "Logistic regression",
    "The probe whose weights make the labels of its training rows most likely, kept small by a penalty.",
  ],
  [
    "Direction",
    "A list of numbers as long as a row. Rows are scored along it; added to the rows, it steers.",
  ],
  ["Scale", "What the direction is multiplied by before it is added."],
  [
    "Random twin",
    "A random direction of the same length, treated in the same way: what any push of that size does.",
  ],
  [
    "Perplexity",
    "How surprised the model is by a text: 1 is not at all. A damaged model is surprised by ordinary text.",
  ],
  ["Nat", "The unit of natural logarithms of probability: 1 nat is a factor of 2.72."],
];

export function termsSection(): Markup {
  return html`<section id="terms">
    <h2>Words used here</h2>
    <dl class="terms">
      ${terms.map(
        ([term, meaning]) =>
          html`<div>
            <dt>${term}</dt>
            <dd>${meaning}</dd>
          </div>`,
      )}
    </dl>
  </section>`;
}
