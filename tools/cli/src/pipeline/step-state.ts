import { createHash } from "node:crypto";
import { mkdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { writeFileAtomic } from "@residua/analysis";
import { z } from "zod";

/** Everything that a step's result follows from. */
const basisSchema = z.object({
  kind: z.string(),
  version: z.string(),
  /** Where they are not given, their defaults. */
  options: z.record(z.string(), z.unknown()),
  /** SHA-256 of each file and dataset that is read, by its place in the options. */
  inputs: z.record(z.string(), z.string()),
});
export type StepBasis = z.output<typeof basisSchema>;

const stateSchema = z.object({
  schemaVersion: z.literal(1),
  basis: basisSchema,
  /** SHA-256 of what came out; null while the step runs, and after it failed. */
  output: z.string().nullable(),
});
export type StepState = z.output<typeof stateSchema>;

const fileOf = (out: string, step: string) => join(out, ".pipeline", `${step}.json`);

/** What is known of a step's last run; undefined where there was none. */
export async function readState(out: string, step: string): Promise<StepState | undefined> {
  const text = await readFile(fileOf(out, step), "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    return stateSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

export async function writeState(
  out: string,
  step: string,
  state: Omit<StepState, "schemaVersion">,
): Promise<void> {
  const file = fileOf(out, step);
  await mkdir(dirname(file), { recursive: true });
  const text = `${JSON.stringify({ schemaVersion: 1, ...state }, null, 1)}\n`;
  await writeFileAtomic(file, [new TextEncoder().encode(text)]);
}

/** Why a step must run; empty where its result stands. `found` is the hash of what lies there now. */
export function reasonsToRun(
  basis: StepBasis,
  { state, found }: { state: StepState | undefined; found: string | undefined },
): string[] {
  if (state === undefined) return ["it has not run yet"];
  const changed = changesSince(state.basis, basis);
  if (changed.length > 0) return changed;
  const { output } = state;
  if (output === null) return ["its last run did not end"];
  if (found === undefined) return ["its result is not there"];
  return found === output ? [] : ["its result is another than it wrote"];
}

/** What a result follows from now and did not then, or the other way round. */
export function changesSince(before: StepBasis, basis: StepBasis): string[] {
  return [
    ...(before.version === basis.version ? [] : [`residua was ${before.version}, and is ${basis.version}`]),
    ...differences(before.options, basis.options, (name, was, is) => `${name} was ${was}, and is ${is}`),
    ...differences(before.inputs, basis.inputs, (name) => `${name} is another than then`),
  ];
}

function differences(
  before: Readonly<Record<string, unknown>>,
  now: Readonly<Record<string, unknown>>,
  say: (name: string, was: string, is: string) => string,
): string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])];
  const text = (value: unknown) => (value === undefined ? "not given" : JSON.stringify(value));
  return names
    .filter((name) => text(before[name]) !== text(now[name]))
    .map((name) => say(name, text(before[name]), text(now[name])));
}

export function sha256(bytes: Uint8Array | string): string {
  return createHash("sha256").update(bytes).digest("hex");
}
