import { plotDoseCurve } from "../../plots/dose-curve.ts";
import { html } from "../../plots/html-markup.ts";
import { decimals, estimateText, percent, scaleText, signed } from "../../plots/plot-format.ts";
import type { SteeringEvaluation, SteeredScale } from "../../results/steering-evaluation.ts";
import type { TwinComparison } from "../../results/steering-measures.ts";
import { ofTooFew } from "../../statistics/intervals/cluster-bootstrap.ts";
import { intervalLine, type Verdict } from "../finding.ts";
import { damageTable, flipsTable } from "../report-steering.ts";
import { estimateCell, numberCell, wordsCell, type ViewTable } from "../report-table.ts";
import { damageVerdict, steeringVerdict, strongestSide } from "../report-words.ts";
import { brief, drawFacts, type ResultView } from "./result-view.ts";

const nats = decimals(2);

export function viewSteeringEvaluation(given: SteeringEvaluation): ResultView {
  const { choices } = given;
  const evaluation: SteeringEvaluation = {
    ...given,
    choices: choices && [brief(choices[0], 40), brief(choices[1], 40)],
  };
  const sides = choices
    ? (["toFirst", "toSecond"] as const).flatMap((key) => strongestSide(evaluation, key) ?? [])
    : [];
  const marked = new Set(sides.map(({ steered }) => steered.scale));
  const first = evaluation.dose.firstDamage;
  const damaged = [first.negative, first.positive].flatMap((found) =>
    found ? [`First damage at scale ${scaleText(found.scale)}: ${found.damage.join("; ")}.`] : [],
  );
  return {
    title: `What a direction does at layer ${evaluation.layer}`,
    verdicts: [
      ...(choices ? [steeringVerdict(evaluation, "toFirst"), steeringVerdict(evaluation, "toSecond")] : []),
      ...(evaluation.target ? [targetVerdict(evaluation)] : []),
      choices ? damageVerdict(evaluation) : firstDamageVerdict(evaluation),
    ].map((verdict) => ({ ...verdict, question: verdict.question.replace(/^Does it /, "Does steering ") })),
    reading: [
      html`A direction (${brief(evaluation.directionMethod, 200)}) times a scale is added to the output of
      layer ${evaluation.layers.map(({ layer }) => layer).join(", ")} while ${brief(evaluation.model)} reads
      and answers. At scale 0 nothing is added. Random twins are random directions of the same length: if they
      did as much, any push would do.`,
    ],
    figures: choices ? [() => plotDoseCurve(evaluation)] : [],
    tables: [
      ...(choices ? [flipsTable(evaluation, marked), damageTable(evaluation, marked)] : []),
      ...(evaluation.target ? [targetTable(evaluation)] : []),
      ...costTables(evaluation),
      ...twinTables(evaluation),
    ],
    facts: [
      ["Model", brief(evaluation.model)],
      [
        "Layers",
        evaluation.layers.map(({ layer, norm }) => `${layer} (length ${signed(norm, 4)})`).join(", "),
      ],
      ["Direction", brief(evaluation.directionMethod, 200)],
      [
        "Choices",
        evaluation.choices ? evaluation.choices.map((choice) => `“${choice}”`).join(", ") : "none given",
      ],
      [
        "Target",
        evaluation.target
          ? evaluation.target.tokens.map((token) => `“${brief(token, 30)}”`).join(", ")
          : "none given",
      ],
      ["Prompts", evaluation.n.toLocaleString("en")],
      ["Groups", evaluation.groups.toLocaleString("en")],
      ["Answered as expected at scale 0", estimateText(evaluation.baseline.asExpected, percent)],
      [
        "Baseline asked again",
        `${evaluation.baselineNoise.repeats} times: moved at most ${signed(evaluation.baselineNoise.maxShift, 3)} nats, ${evaluation.baselineNoise.changedAnswers} answers changed`,
      ],
      ...drawFacts(evaluation),
    ],
    notes: [...damaged, ...evaluation.notes],
  };
}

/** Without choices there are no valid answers to count: the limits of damage speak alone. */
function firstDamageVerdict({ dose, scales }: SteeringEvaluation): Verdict {
  const { negative, positive } = dose.firstDamage;
  const at = [negative, positive].flatMap((found) => (found ? [scaleText(found.scale)] : []));
  return {
    question: "Is the model left intact?",
    finding: "description",
    number: at.length === 0 ? "no damage" : at.join(", "),
    unit:
      at.length === 0
        ? `found at any of ${scales.length} scales, by what was measured`
        : "first scales that do damage",
    interval: "",
    control: "",
  };
}

/** The scale of the largest net effect on the target among those without damage, picked after looking. */
function targetVerdict(evaluation: SteeringEvaluation): Verdict {
  const tried = evaluation.scales.filter(
    ({ scale, target }) => scale !== 0 && target && target.net.value !== null,
  );
  const sound = tried.filter(({ damage }) => damage.length === 0);
  const [best] = (sound.length > 0 ? sound : tried).toSorted(
    (a, b) => Math.abs(b.target?.net.value ?? 0) - Math.abs(a.target?.net.value ?? 0),
  );
  const tokens = evaluation.target?.tokens.map((token) => brief(token, 30)).join("/") ?? "";
  const question = `Does it move “${tokens}” more than other tokens?`;
  if (!best?.target)
    return { question, finding: "not measured", number: "–", unit: "", interval: "", control: "" };
  const { net, verdict, controls } = best.target;
  const apart = net.low !== null && net.high !== null && (net.low > 0 || net.high < 0);
  return {
    question,
    finding: apart && !ofTooFew(net) && verdict === undefined ? "shown" : "not shown",
    number: net.value === null ? "–" : nats(net.value),
    unit: `nats of log probability less control tokens, scale ${scaleText(best.scale)}`,
    interval: intervalLine(net, nats),
    control: `tokens that were as likely would move it ${estimateText(controls, nats)}`,
  };
}

function byScale(
  evaluation: SteeringEvaluation,
  cells: (entry: SteeredScale) => ViewTable["rows"][number]["cells"],
): ViewTable["rows"] {
  return evaluation.scales.map((entry) => ({
    head: scaleText(entry.scale),
    value: entry.scale,
    cells: cells(entry),
  }));
}

function targetTable(evaluation: SteeringEvaluation): ViewTable {
  return {
    caption: html`<b>The target's log probability.</b> Its change against scale 0, what it would be if the
      target moved as tokens of like probability do, and the difference, in nats.`,
    columns: [
      { head: "Scale" },
      { head: "shift" },
      { head: "as controls", note: "control" },
      { head: "net" },
      { head: "what is shown" },
    ],
    rows: byScale(evaluation, ({ target }) => [
      estimateCell(target?.shift, nats),
      estimateCell(target?.controls, nats),
      estimateCell(target?.net, nats),
      wordsCell(target?.verdict ?? "–"),
    ]),
  };
}

/** What steering costs, as far as it was measured. */
function costTables(evaluation: SteeringEvaluation): ViewTable[] {
  const { scales } = evaluation;
  const three = decimals(3);
  const tables: ViewTable[] = [];
  if (scales.some(({ neutral, loops, perplexity }) => neutral ?? loops ?? perplexity))
    tables.push({
      caption: html`<b>What it does to other text.</b> Divergence of next-token distributions on neutral text,
        and the share of generated texts that loop.`,
      columns: [
        { head: "Scale" },
        { head: "KL", note: "steered ‖ plain, nats" },
        { head: "KL", note: "plain ‖ steered, nats" },
        { head: "entropy", note: "change, nats" },
        { head: "looping" },
        { head: "perplexity", note: "over that at scale 0" },
        { head: "damage" },
      ],
      rows: byScale(evaluation, ({ neutral, loops, perplexity, damage }) => [
        estimateCell(neutral?.kl, three),
        estimateCell(neutral?.reverseKl, three),
        estimateCell(neutral?.entropyChange, three),
        estimateCell(loops?.looping, percent),
        estimateCell(
          perplexity
            ? { value: perplexity.ratio, low: perplexity.ratioLow, high: perplexity.ratioHigh }
            : undefined,
          (value) => `×${signed(value, 2)}`,
        ),
        wordsCell(damage.join("; ") || "none found"),
      ]),
    });
  if (evaluation.scorers.length > 0)
    tables.push({
      caption: html`<b>Scorers.</b>
        ${evaluation.scorers.map(({ name, method }) => `${brief(name, 40)}: ${brief(method, 200)}`).join("; ")}`,
      columns: [
        { head: "Scale" },
        ...evaluation.scorers.map(({ name, kind }) => ({ head: brief(name, 40), note: `${kind}, change` })),
      ],
      rows: byScale(evaluation, ({ scorers }) =>
        evaluation.scorers.map(({ name }) =>
          estimateCell(scorers.find((own) => own.name === name)?.change, three),
        ),
      ),
    });
  return tables;
}

function twinTables({ twins, shuffledTwins }: SteeringEvaluation): ViewTable[] {
  const table = (name: string, entries: SteeringEvaluation["twins"]): ViewTable[] => {
    const rows = entries.flatMap(({ scale, comparisons }) =>
      comparisons.map((comparison) => ({
        head: scaleText(scale),
        value: scale,
        cells: comparisonCells(comparison),
      })),
    );
    if (rows.length === 0) return [];
    return [
      {
        caption: html`<b>The direction beside ${name}.</b> p is the chance of standing out so far among them
          when it is like any other.`,
        columns: [{ head: "Scale" }, ...comparisonColumns],
        rows,
      },
    ];
  };
  return [
    ...table("random directions of the same length", twins),
    ...table("directions refitted on shuffled labels", shuffledTwins),
  ];
}

/** Heads of `comparisonCells`. */
export const comparisonColumns = [
  { head: "what" },
  { head: "direction" },
  { head: "twins", note: "control, mean" },
  { head: "largest twin" },
  { head: "as large" },
  { head: "p" },
];

/** One number of the direction beside the same of its twins. */
export function comparisonCells({
  metric,
  direction,
  twins,
  largest,
  asLarge,
  p,
}: TwinComparison): ViewTable["rows"][number]["cells"] {
  const three = decimals(3);
  return [
    wordsCell(metric),
    numberCell(direction, three),
    estimateCell(twins, three),
    numberCell(largest, three),
    html`<td data-v="${asLarge}">${asLarge} of ${twins.n ?? "–"}</td>`,
    numberCell(p, three),
  ];
}
