import { readFile, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { LineCounter, parseDocument, type Document } from "yaml";
import type { z } from "zod";
import { UsageError } from "../usage-error.ts";
import {
  headSchema,
  stepKinds,
  stepSchemas,
  type Pipeline,
  type PipelineStep,
  type StepKind,
} from "./pipeline-schema.ts";

type Place = readonly (string | number)[];

/** Reads a pipeline. Throws UsageError that names each fault with its line: `pipeline.yaml:7: steps[1].folds: 1; allowed: …`. */
export async function readPipeline(file: string): Promise<Pipeline> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`${file} cannot be read (${error.code ?? error.message})`);
  });
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  // The others mostly follow from the first.
  const [error] = document.errors;
  if (error)
    throw new UsageError(
      `${file}:${lines.linePos(error.pos[0]).line}: not YAML: ${error.message.slice(0, 200)}`,
    );
  const faults: string[] = [];
  const add = (place: Place, message: string) =>
    void faults.push(`${file}:${lineOf(document, lines, place)}: ${placeText(place)}: ${message}`);
  const value: unknown = document.toJS();
  if (value === null)
    throw new UsageError(`${file} is empty; allowed: out, and steps (see docs/pipelines.md of the command)`);
  const pipeline = checkPipeline(value, add);
  if (pipeline === undefined || faults.length > 0) throw new UsageError(faults.join("\n"));
  const base = dirname(resolve(file));
  const out = resolve(base, pipeline.out);
  const there = await stat(out).catch(() => undefined);
  if (there && !there.isDirectory())
    throw new UsageError(
      `${file}:${lineOf(document, lines, ["out"])}: out: ${pipeline.out} is a file; allowed: a folder, there or not`,
    );
  return { ...pipeline, base, out };
}

type Add = (place: Place, message: string) => void;

function checkPipeline(value: unknown, add: Add): Omit<Pipeline, "base"> | undefined {
  const head = headSchema.safeParse(value);
  if (!head.success) {
    for (const issue of head.error.issues)
      addIssue(add, issue, { value, at: [], fields: fieldsAt(headSchema, issue.path) });
    return undefined;
  }
  const steps = head.data.steps.flatMap((step, at) => checkStep(step, ["steps", at], add) ?? []);
  // Names are of places in the list, which one that cannot be read would shift.
  if (steps.length === head.data.steps.length) checkNames(steps, add);
  return { ...head.data, steps };
}

function checkStep(value: unknown, at: Place, add: Add): PipelineStep | undefined {
  const kinds = stepKinds.filter((kind) => Object.hasOwn(Object(value) as object, kind));
  const [kind] = kinds;
  if (kind === undefined || kinds.length > 1) {
    add(
      at,
      `${kinds.length > 1 ? `both ${kinds.join(" and ")}` : "no kind of step"}; allowed: one of ${stepKinds.join(", ")}, with the step's name`,
    );
    return undefined;
  }
  const parsed = stepSchemas[kind].safeParse(value);
  if (!parsed.success) {
    for (const issue of parsed.error.issues)
      addIssue(add, issue, { value, at, fields: Object.keys(stepSchemas[kind].shape) });
    return undefined;
  }
  const options = parsed.data as Record<StepKind, string>;
  return { kind, name: options[kind], options: parsed.data } as PipelineStep;
}

/** Names are files of one folder, and what stands on a sweep names one that went before. */
function checkNames(steps: readonly PipelineStep[], add: Add): void {
  steps.forEach((step, at) => {
    const before = steps.slice(0, at);
    if (before.some(({ name }) => name === step.name))
      add(["steps", at, step.kind], `${step.name} is the name of an earlier step too; allowed: another name`);
    if (!("layer" in step.options) || typeof step.options.layer === "number") return;
    const sweeps = before.filter(({ kind }) => kind === "sweep").map(({ name }) => name);
    if (!sweeps.includes(step.options.layer))
      add(
        ["steps", at, "layer"],
        `${step.options.layer}; allowed: a layer's number, or an earlier sweep (${sweeps.join(", ") || "there is none"})`,
      );
  });
}

function addIssue(
  add: Add,
  issue: z.core.$ZodIssue,
  { value, at, fields }: { value: unknown; at: Place; fields: readonly string[] },
): void {
  const path = issue.path.map((key) => (typeof key === "symbol" ? String(key) : key));
  if (issue.code === "unrecognized_keys") {
    for (const key of issue.keys)
      add([...at, ...path, key], `an unknown field; allowed: ${fields.join(", ")}`);
    return;
  }
  const given = path.reduce<unknown>((whole, key) => (Object(whole) as Record<string, unknown>)[key], value);
  const shown = given === undefined ? "nothing given" : JSON.stringify(given).slice(0, 100);
  add([...at, ...path], `${shown}; allowed: ${issue.message.replace(/^Invalid input: expected /, "")}`);
}

/** The fields beside the steps, or of the server. */
function fieldsAt({ shape }: typeof headSchema, [first]: readonly PropertyKey[]): string[] {
  return Object.keys(first === "server" ? shape.server.unwrap().shape : shape);
}

/** Where a place stands; of a field that is missing, where what should hold it begins. */
function lineOf(document: Document, lines: LineCounter, place: Place): number {
  for (let length = place.length; length >= 0; length--) {
    const node = document.getIn(place.slice(0, length), true) as
      { range?: [number, number, number] } | undefined;
    if (node?.range) return lines.linePos(node.range[0]).line;
  }
  return 1;
}

function placeText(place: Place): string {
  if (place.length === 0) return "pipeline";
  return place.map((key, i) => (typeof key === "number" ? `[${key}]` : `${i > 0 ? "." : ""}${key}`)).join("");
}
