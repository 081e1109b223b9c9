import { dirname } from "node:path/posix";
import type { DatasetManifest } from "../../dataset/dataset-manifest.ts";
import { datasetModel } from "../../dataset/dataset-model.ts";
import { resultKinds, type AnyResult } from "../../results/result-kinds.ts";
import { numberRows, type Cells, type Scalar } from "../../results/to-table.ts";
import { provenanceName, type Provenance } from "../provenance.ts";
import type { Run } from "../read-run.ts";
import type { RunDocument } from "../run-document.ts";

/** What a number can be compared with: one document, or one part of a first run. */
export interface ComparedPart {
  file: string;
  kind: string;
  /** The document's own name of what it is about, such as its label; empty where it has none. */
  about: string;
  settings: Record<string, Scalar>;
  rows: Cells[];
  /** Identities as text; null where nothing tells. */
  model: string | null;
  data: string | null;
  seed: number | null;
  result: AnyResult | undefined;
}

/** Fields that are outcomes, although they are plain. */
const outcomes = new Set([
  ...[
    "kind",
    "notes",
    "verdict",
    "text",
    "perfectError",
    "stopped",
    "loss",
    "weightDecay",
    "taken",
    "pairOffset",
  ],
  ...["dose", "baselineNoise", "winner", "chosen"],
]);

export function partsOf(run: Run): ComparedPart[] {
  return run.documents.flatMap((document) => {
    switch (document.type) {
      case "result":
        return [resultPart(document.value, document.file, run)];
      case "first-run":
        return firstRunParts(document, run);
      case "dataset":
        return [datasetPart(document.value, document.file)];
      case "self-test": {
        const { fingerprint } = document.value;
        const { behaviours, verdicts, ...plain } = fingerprint;
        const settings = {
          ...plainFields(plain),
          ...prefixed("found", behaviours),
          ...prefixed("check", verdicts),
        };
        delete settings["date"];
        return [
          {
            ...bare(document.file, "self-test"),
            about: fingerprint.model,
            model: fingerprint.model,
            settings,
          },
        ];
      }
      case "lint":
      case "description":
        return [{ ...bare(document.file, document.type), settings: plainFields(document.value) }];
      case "provenance":
        return [];
    }
  });
}

function bare(file: string, kind: string): ComparedPart {
  return {
    file,
    kind,
    about: "",
    settings: {},
    rows: [],
    model: null,
    data: null,
    seed: null,
    result: undefined,
  };
}

function resultPart(result: AnyResult, file: string, run: Run): ComparedPart {
  const beside = run.documents.find((document) => document.file === provenanceName(file));
  const provenance = beside?.type === "provenance" ? beside.value : undefined;
  const dataset = datasetOf(run, file);
  const fields = result as Record<string, unknown>;
  const told = typeof fields["model"] === "string" ? fields["model"] : undefined;
  const steered = result.kind === "steering-evaluation" || result.kind === "steering-search";
  return {
    file,
    kind: result.kind,
    about: aboutOf(fields),
    settings: { ...plainFields(fields), ...(provenance && madeBy(provenance)) },
    rows: rowsOf(result),
    model: told ?? recordedModel(provenance) ?? (dataset ? datasetModel(dataset) : null),
    // The prompts of a steering are no rows of the dataset: only their own hash tells which they were.
    data: provenance ? inputsOf(provenance) : dataset && !steered ? dataset.contentHash : null,
    seed: typeof fields["seed"] === "number" ? fields["seed"] : null,
    result,
  };
}

/** The numbers of a result. The C that was chosen is an outcome: it may differ between the same numbers of two runs. */
function rowsOf(result: AnyResult): Cells[] {
  const form = resultKinds[result.kind];
  return numberRows(result, { ...form, keys: form.keys.filter((key) => key !== "C") });
}

/** What the numbers of a first run stand on is told by its settings; its sweep and its steering are results. */
function firstRunParts(
  { file, value }: Extract<RunDocument, { type: "first-run" }>,
  run: Run,
): ComparedPart[] {
  const { sweep, steering, settings = {}, versions, model, dataset, answers, heldOut } = value;
  const { seed: _seed, ...rest } = settings;
  const shared = { ...prefixed("run", rest), ...prefixed("version", versions) };
  const captured = datasetOf(run, file);
  const { rows, examples, groups, selection } = dataset;
  const asked = JSON.stringify([
    rows,
    examples,
    groups,
    selection,
    settings["cities"] ?? null,
    settings["weights"] ?? null,
  ]);
  const common = {
    file,
    model: (captured && datasetModel(captured)) ?? `${model.id} (${model.checkpoint})`,
    data: asked,
    seed: typeof settings["seed"] === "number" ? settings["seed"] : sweep.seed,
  };
  const part = (result: AnyResult, data: string): ComparedPart => ({
    ...common,
    data,
    kind: result.kind,
    about: aboutOf(result),
    settings: { ...plainFields(result), ...shared },
    rows: rowsOf(result),
    result,
  });
  const others = numberRows({ answers: answers ?? [], heldOut: heldOut ?? {} }, { keys: ["title", "layer"] });
  return [
    part(sweep, captured?.contentHash ?? asked),
    part(steering, asked),
    ...(others.length > 0
      ? [
          {
            ...common,
            kind: "first-run",
            about: value.title,
            settings: shared,
            rows: others,
            result: undefined,
          },
        ]
      : []),
  ];
}

function datasetPart(manifest: DatasetManifest, file: string): ComparedPart {
  const { model, checkpoint, hiddenSize, layers, dtype, rows, examples, contentHash, origin, createdWith } =
    manifest;
  const plan = origin.kind === "collected" ? { prompts: origin.plan.examplesHash } : { origin: origin.how };
  const columns = manifest.columns.map(({ name }) => name).join(", ");
  const fields = {
    model,
    checkpoint,
    hiddenSize,
    layers: layers.join(", "),
    dtype,
    rows,
    examples,
    columns,
    contentHash,
    createdWith,
  };
  return {
    ...bare(file, "dataset"),
    about: datasetModel(manifest) ?? "",
    model: datasetModel(manifest),
    data: contentHash,
    settings: { ...fields, ...plan },
  };
}

/** The dataset in the same folder, or the only one of the run. */
function datasetOf(run: Run, file: string): DatasetManifest | undefined {
  const all = run.documents.filter((document) => document.type === "dataset");
  const beside = all.find((document) => dirname(document.file) === dirname(file));
  return (beside ?? (all.length === 1 ? all[0] : undefined))?.value;
}

/** Of the dataset, as the command that read it wrote down. */
function recordedModel(provenance: Provenance | undefined): string | null {
  const model = provenance?.settings["model"];
  return typeof model === "string" ? model : null;
}

/** Equal where every input was the same, the rows that were chosen from it included. */
function inputsOf({ inputs, settings }: Provenance): string | null {
  if (inputs.length === 0) return null;
  const hashes = inputs.map(({ role, sha256 }) => `${role} ${sha256}`).sort();
  return [...hashes, `split ${String(settings["split"] ?? "all")}`].join("; ");
}

function madeBy({ inputs, versions, settings }: Provenance): Record<string, Scalar> {
  const read = Object.fromEntries(inputs.map(({ role, sha256 }) => [role, sha256]));
  return { ...prefixed("input", read), ...prefixed("version", versions), ...prefixed("run", settings) };
}

function aboutOf(fields: Record<string, unknown>): string {
  const named = ["label", "score", "layer"].flatMap((name) => {
    const value = fields[name];
    if (typeof value === "number") return [`${name} ${value}`];
    return typeof value === "string" ? [value] : [];
  });
  return named.join(", ");
}

function prefixed(prefix: string, fields: Readonly<Record<string, Scalar>>): Record<string, Scalar> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [`${prefix}: ${name}`, value]));
}

/** Plain fields, and those of lists and objects that hold nothing but plain ones. */
function plainFields(document: object): Record<string, Scalar> {
  const fields: Record<string, Scalar> = {};
  for (const [name, value] of Object.entries(document) as [string, unknown][]) {
    if (outcomes.has(name)) continue;
    if (isScalar(value)) fields[name] = value;
    else if (Array.isArray(value) && value.every(isScalar)) fields[name] = value.join(", ");
    else if (Array.isArray(value)) {
      const places = placesOf(value);
      if (places !== undefined) fields[name] = places;
    } else if (isPlainRecord(value))
      for (const [inner, own] of Object.entries(value))
        fields[`${name}.${inner}`] = Array.isArray(own) ? own.join(", ") : own;
  }
  return fields;
}

/** Which layers or scales a list is of. */
function placesOf(list: readonly unknown[]): string | undefined {
  for (const key of ["scale", "layer"]) {
    const places = list.map((item) => (Object(item) as Record<string, unknown>)[key]);
    if (places.length > 0 && places.every((place) => typeof place === "number"))
      return [...new Set(places)].join(", ");
  }
  return undefined;
}

function isScalar(value: unknown): value is Scalar {
  return value === null || ["string", "number", "boolean"].includes(typeof value);
}

/** An estimate is a number, no setting. */
function isPlainRecord(value: unknown): value is Record<string, Scalar | Scalar[]> {
  if (typeof value !== "object" || value === null || Array.isArray(value) || "value" in value) return false;
  return Object.values(value).every((own) => isScalar(own) || (Array.isArray(own) && own.every(isScalar)));
}
