import { readFile } from "node:fs/promises";
import { CheckFailedError } from "../check-failed-error.ts";
import type { CommandContext } from "../make-command.ts";
import type { Output } from "../output.ts";
import { residuaVersion } from "../versions.ts";
import { tryGate, type GateOutcome } from "./gate.ts";
import type { Pipeline, PipelineStep } from "./pipeline-schema.ts";
import { readPipeline } from "./read-pipeline.ts";
import { basisOptions, hashOf, inputsOf, placeOf, runStep } from "./step-kinds.ts";
import { changesSince, readState, reasonsToRun, writeState, type StepBasis } from "./step-state.ts";

/** Options of `residua run`. */
export interface RunOptions {
  file: string;
  explain?: boolean;
}

/** What became of one step. */
interface StepOutcome {
  step: string;
  kind: PipelineStep["kind"];
  /** `waits`: with --explain, a step whose inputs are not there yet. */
  did: "ran" | "skipped" | "would run" | "waits";
  /** Why it ran, or runs; empty where its result stands. */
  because: string[];
  output: string;
  gates: GateOutcome[];
}

/** `residua run`: the steps of a pipeline in their order; those whose inputs are as they were are passed over. Ends with 3 when a gate is not met. */
export async function runPipeline(options: RunOptions, context: CommandContext): Promise<void> {
  const { output, signal } = context;
  const pipeline = await readPipeline(options.file);
  const outcomes: StepOutcome[] = [];
  for (const step of pipeline.steps) {
    signal.throwIfAborted();
    const outcome = options.explain ? explain(step, pipeline, outcomes) : runOrSkip(step, pipeline, context);
    outcomes.push(await outcome.catch((error: unknown) => fail(step, error)));
  }
  output.result(
    { pipeline: options.file, out: pipeline.out, steps: outcomes },
    outcomes.map(lineOf).join("\n"),
  );
  const missed = outcomes.flatMap(({ gates }) => gates.filter(({ passed }) => !passed));
  if (missed.length > 0)
    throw new CheckFailedError(
      missed.length === 1 ? `the gate ${missed[0]!.gate} is not met` : `${missed.length} gates are not met`,
    );
}

/** With the step's name before what its command says. */
function fail({ name, kind }: PipelineStep, error: unknown): never {
  if (error instanceof Error) error.message = `step ${name} (${kind}): ${error.message}`;
  throw error;
}

async function runOrSkip(
  step: PipelineStep,
  pipeline: Pipeline,
  context: CommandContext,
): Promise<StepOutcome> {
  const { because, basis, other } = await judge(step, pipeline);
  const { out } = pipeline;
  if (because.length > 0) {
    context.output.progress(`${step.name} (${step.kind}): ${because.join("; ")}`);
    await writeState(out, step.name, { basis, output: null });
    await runStep(step, { pipeline, other }, { ...context, output: withoutResult(context.output) });
    await writeState(out, step.name, { basis, output: (await hashOf(step, out)) ?? null });
  }
  return {
    ...{ step: step.name, kind: step.kind, did: because.length > 0 ? "ran" : "skipped", because },
    output: placeOf(step, out),
    gates: await tryGates(step, out),
  };
}

/** Nothing is run, so what stands on a step that would run is not known yet. */
async function explain(
  step: PipelineStep,
  pipeline: Pipeline,
  before: readonly StepOutcome[],
): Promise<StepOutcome> {
  const outcome = { step: step.name, kind: step.kind, output: placeOf(step, pipeline.out), gates: [] };
  const waiting = before.filter(({ did, step: name }) => did !== "skipped" && standsOn(step, name));
  if (waiting.length > 0) {
    const because = waiting.map(
      ({ step: name, did }) => `${name} ${did === "waits" ? "waits" : "would run"} first`,
    );
    return { ...outcome, did: "waits", because };
  }
  const { because } = await judge(step, pipeline);
  return { ...outcome, did: because.length > 0 ? "would run" : "skipped", because };
}

function standsOn({ kind, options }: PipelineStep, name: string): boolean {
  if (kind === "report") return true;
  return Object.values(options).flat().includes(name);
}

async function judge(
  step: PipelineStep,
  pipeline: Pipeline,
): Promise<{ because: string[]; basis: StepBasis; other: boolean }> {
  const { out } = pipeline;
  const basis: StepBasis = {
    kind: step.kind,
    version: residuaVersion,
    options: basisOptions(step, pipeline),
    inputs: await inputsOf(step, pipeline),
  };
  const state = await readState(out, step.name);
  const because = reasonsToRun(basis, { state, found: await hashOf(step, out) });
  // A run of the same inputs that did not end is gone on with; what is of others, or of nobody knows what, is not.
  const unended = state?.output === null && changesSince(state.basis, basis).length === 0;
  return { because, basis, other: because.length > 0 && !unended };
}

async function tryGates(step: PipelineStep, out: string): Promise<GateOutcome[]> {
  const { gates } = { gates: [], ...step.options };
  if (gates.length === 0) return [];
  const result: unknown = JSON.parse(await readFile(placeOf(step, out), "utf8"));
  return gates.map((gate) => tryGate(gate, result));
}

/** A step's progress is the pipeline's; its result is in its file. */
function withoutResult(output: Output): Output {
  return { ...output, result: () => undefined };
}

function lineOf({ step, kind, did, because, output, gates }: StepOutcome): string {
  const why = because.length > 0 && did !== "ran" ? `: ${because.join("; ")}` : "";
  const stands = did === "skipped" ? ": nothing has changed" : "";
  return [
    `${step} (${kind}) ${did}${why}${stands}${did === "ran" ? ` → ${output}` : ""}`,
    ...gates.map(
      ({ gate, value, passed, reason }) =>
        `  ${passed ? "met" : "NOT met"}: ${gate} (${value === null ? reason : `it is ${value}`})`,
    ),
  ].join("\n");
}
