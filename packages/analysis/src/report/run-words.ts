import { counted } from "../plots/plot-format.ts";
import type { RunDocument } from "../runs/run-document.ts";
import type { Finding, Verdict } from "./finding.ts";
import { brief } from "./views/result-view.ts";

const nouns: Record<string, string> = {
  "layer-sweep": "layer sweep",
  "transfer-matrix": "transfer matrix",
  "cosine-matrix": "cosine matrix",
  "direction-stability": "check of a direction's stability",
  "label-efficiency": "curve over labels",
  "reliability-curve": "reliability curve",
  "ccs-training": "CCS training",
  inlp: "nullspace projection",
  "direction-selection": "selection of a direction",
  "steering-search": "steering search",
  "token-scores": "text scored token by token",
  "position-sweep": "sweep over positions",
  "roc-curve": "ROC curve",
  "score-histogram": "histogram of scores",
  "capture-cost": "plan of captures",
  "logit-lens": "logit lens",
  "steering-evaluation": "steering evaluation",
  "first-run": "first run",
  "self-test": "self-test of a server",
  lint: "dataset check",
  description: "dataset description",
};

/** What a document is, in a word or two. */
export function documentNoun(document: RunDocument): string {
  return kindNoun(document.type === "result" ? document.value.kind : document.type);
}

/** The same of a kind. */
export function kindNoun(kind: string): string {
  return nouns[kind] ?? kind;
}

/** The models that a document speaks of. */
function modelsOf(document: RunDocument): string[] {
  switch (document.type) {
    case "first-run":
      return [document.value.model.id];
    case "dataset":
      return document.value.model === null ? [] : [document.value.model];
    case "self-test":
      return [document.value.fingerprint.model];
    case "result":
      return "model" in document.value && document.value.model !== null ? [document.value.model] : [];
    case "lint":
    case "description":
    case "provenance":
      return [];
  }
}

/** Every model that is named, cut to a few for a sentence. */
export function modelsText(documents: readonly RunDocument[]): string {
  const models = [...new Set(documents.flatMap(modelsOf))];
  const named = models.slice(0, 4).map((model) => brief(model));
  return named.length === 0
    ? ""
    : named.join(", ") + (models.length > 4 ? ` and ${models.length - 4} more` : "");
}

const findingWords: Record<Exclude<Finding, "description">, string> = {
  shown: "shown",
  "in part": "shown in part",
  explained: "explained by a control",
  "not shown": "not shown",
  "not measured": "not measured",
};

/** Kinds that a sentence names. */
const mostKinds = 6;

/** What a run holds and what came of it, in a paragraph. */
export function runSummary(documents: readonly RunDocument[], verdicts: readonly Verdict[]): string {
  const kinds = new Map<string, number>();
  for (const document of documents)
    if (document.type !== "provenance")
      kinds.set(documentNoun(document), (kinds.get(documentNoun(document)) ?? 0) + 1);
  const named = [...kinds].map(([noun, count]) => (count === 1 ? `one ${noun}` : `${count} × ${noun}`));
  const more = named.length - mostKinds;
  const held = more > 1 ? [...named.slice(0, mostKinds), `documents of ${more} more kinds`] : named;
  const models = modelsText(documents);
  const what = `This run holds ${listed(held)}${models === "" ? "" : `, of ${models}`}.`;
  const asked = verdicts.filter(({ finding }) => finding !== "description");
  if (asked.length === 0)
    return `${what} It describes; nothing in it asks a question that a control could answer.`;
  const [only] = asked;
  if (asked.length === 1 && only)
    return `${what} It asks one question, and the answer is: ${findingWords[only.finding as keyof typeof findingWords]}.`;
  const outcomes = (Object.keys(findingWords) as (keyof typeof findingWords)[]).flatMap((finding) => {
    const count = asked.filter((verdict) => verdict.finding === finding).length;
    return count === 0 ? [] : [`${count} ${findingWords[finding]}`];
  });
  return `${what} Of its ${counted(asked.length, "question")} the answers are: ${listed(outcomes)}.`;
}

function listed(parts: readonly string[]): string {
  return parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`;
}
