import { loadModel, type Model } from "@residua/engine";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Tensor } from "../support.ts";
import { start, type Running } from "../support.ts";
import { formOf, replay, rowErrors, told, valuesIn, valuesOf, type Reply } from "./compare-support.ts";
import { elsewhere, faultsHere, recordings, refusedHere, type Recording } from "./recordings.ts";

const folder = process.env["RESIDUA_SMOLLM2"];
const unavailable =
  process.env["RESIDUA_SMOLLM2_UNAVAILABLE"] ??
  "RESIDUA_SMOLLM2 is not set; RESIDUA_SMOLLM2=$(npm run --silent smollm2) makes the model's folder and names it";

/**
 * The mean of a layer's rows, and most rows, differ by less. Bfloat16 costs more where a row takes on a massive
 * activation (position 0, a lone space: up to 16 %), and much less elsewhere.
 */
const tolerance = 0.03;

/** Its messages are those of Python: the position in bad JSON, and pydantic's of a tensor. */
const otherWords = new Set([
  "err_bad_json",
  "hooks_register_bad_hook",
  ...recordings.map(({ name }) => name).filter((name) => name.startsWith("steer_bad_")),
]);

/** Steered at positions that a real server counts from the start of each pass. */
const relativePositions = new Set(["steer_3d_null", "steer_3d_pos0", "steer_3d_decode_pos"]);

const compared = recordings.filter(
  ({ name }) =>
    !(name in refusedHere) && !(name in faultsHere) && !(name in elsewhere) && !name.startsWith("auth_"),
);

describe("SmolLM2-135M against the recordings of vLLM with vllm-lens", () => {
  let model: Model;
  let running: Running;
  beforeEach((context) => context.skip(!folder, unavailable));
  beforeAll(async () => {
    if (!folder) return;
    model = await loadModel(folder);
    running = await start({ model, modelId: "smollm2", profile: "vllm" });
  });
  afterAll(async () => {
    if (folder) await running.close();
  });

  const replies = new Map<string, Promise<Reply>>();
  const answered = async (recording: Recording) => {
    const pending = replies.get(recording.name) ?? replay(running.server.url, recording);
    replies.set(recording.name, pending);
    const reply = await pending;
    expect(reply.status, reply.text.slice(0, 300)).toBe(recording.status);
    return reply;
  };

  test.each(compared)("$name: same status, fields and types", async (recording) => {
    const reply = await answered(recording);
    expect(reply.type).toBe(recording.type);
    if (recording.answer === null) return;
    const [wanted, got] = [valuesOf(recording.answer), valuesOf(reply.text)];
    expect(formOf(got)).toEqual(formOf(wanted));
    if (recording.status >= 400 && !otherWords.has(recording.name)) expect(got).toEqual(wanted);
    if (recording.path === "/tokenize" || recording.path === "/detokenize")
      expect(got).toMatchObject(exceptContext(wanted));
    const [theirs, ours] = [told(wanted), told(got)];
    expect(ours.prompt).toEqual(theirs.prompt);
    if (theirs.tensor !== null) expectCapture(recording.name, ours, theirs);
  });

  test("greedy texts begin alike, and most are equal to the end", async () => {
    const all = compared.filter(isGreedy);
    const ends = [];
    for (const recording of all) {
      const theirs = told(valuesOf(recording.answer!)).text;
      const ours = told(valuesOf((await answered(recording)).text)).text;
      // Near ties fall either way in bfloat16.
      expect(agreeing(ours, theirs), `${recording.name}: ${ours}`).toBeGreaterThanOrEqual(
        Math.min(theirs.length, 6),
      );
      ends.push(ours === theirs);
    }
    expect(all.length).toBeGreaterThan(60);
    expect(ends.filter(Boolean).length / all.length).toBeGreaterThan(0.9);
  });

  test("a capture shifted by one layer is told apart", async () => {
    const all = recordings.find(({ name }) => name === "cap_all_layers_list")!;
    const reply = await answered(all);
    const [theirs, ours] = [told(valuesOf(all.answer!)).tensor!, told(valuesOf(reply.text)).tensor!];
    const [, positions, hiddenSize] = theirs.shape as [number, number, number];
    const layer = positions * hiddenSize;
    const shifted = rowErrors(
      valuesIn(ours).subarray(layer),
      valuesIn(theirs).subarray(0, -layer),
      hiddenSize,
    );
    for (let l = 0; l < shifted.length / positions; l++) {
      expect(alike(shifted.slice(l * positions, (l + 1) * positions))).toBe(false);
    }
  });

  test.each(Object.entries({ ...refusedHere, ...faultsHere }))("%s is refused: %s", async (name) => {
    const reply = await replay(
      running.server.url,
      recordings.find((one) => one.name === name)!,
    );
    expect(reply.status, reply.text.slice(0, 300)).toBe(400);
    expect(formOf(valuesOf(reply.text))).toMatchObject({
      error: { message: "string", type: "string", code: "number" },
    });
  });
});

type Told = ReturnType<typeof told>;

function expectCapture(name: string, ours: Told, theirs: Told): void {
  const [got, wanted] = [ours.tensor as Tensor, theirs.tensor as Tensor];
  const { data: _, ...form } = wanted as Tensor & { handle?: string };
  if (form.handle !== undefined) return;
  const [layers, , hiddenSize] = wanted.shape as [number, number, number];
  expect({ ...got, data: undefined, shape: [got.shape[0], got.shape[2]] }).toEqual({
    ...form,
    data: undefined,
    shape: [layers, hiddenSize],
  });
  if (relativePositions.has(name)) return;
  // A position's row depends on the tokens up to it: those that differ end the comparison. A real chat stream lacks
  // the positions of the reply.
  const same = agreeing(ours.tokens, theirs.tokens);
  const whole = same === theirs.tokens.length && same === ours.tokens.length;
  const most = Math.min(got.shape[1]!, wanted.shape[1]!);
  if (whole && !name.includes("stream") && !name.includes("interval"))
    expect(got.shape).toEqual(wanted.shape);
  const rows = theirs.prompt === null ? most : Math.min(most, theirs.prompt.length + same);
  const [a, b] = [valuesIn(got), valuesIn(wanted)];
  for (let layer = 0; layer < layers; layer++) {
    const from = (tensor: Tensor) => layer * tensor.shape[1]! * hiddenSize;
    const part = (values: Float32Array, tensor: Tensor) =>
      values.subarray(from(tensor), from(tensor) + rows * hiddenSize);
    const errors = rowErrors(part(a, got), part(b, wanted), hiddenSize);
    expect(alike(errors), `layer ${layer}: ${errors.join(" ")}`).toBe(true);
  }
}

/** Whether the rows of a layer are the same but for the number format. */
function alike(errors: readonly number[]): boolean {
  const mean = errors.reduce((sum, error) => sum + error, 0) / errors.length;
  const far = errors.filter((error) => error >= tolerance).length;
  return mean < tolerance && far <= Math.max(1, errors.length / 5);
}

/** How long two sequences begin alike. */
function agreeing(a: ArrayLike<unknown>, b: ArrayLike<unknown>): number {
  let length = 0;
  while (length < Math.min(a.length, b.length) && a[length] === b[length]) length++;
  return length;
}

function isGreedy({ body, status, answer, name }: Recording): boolean {
  const { temperature, max_tokens } = Object(body) as { temperature?: number; max_tokens?: number };
  return (
    status === 200 && temperature === 0 && max_tokens !== 0 && answer !== null && !relativePositions.has(name)
  );
}

/** The recorded server had a context of 1024. */
function exceptContext(value: unknown): object {
  const { max_model_len: _, ...rest } = value as Record<string, unknown>;
  return rest;
}
