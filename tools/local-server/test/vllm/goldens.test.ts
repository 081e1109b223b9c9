import type { Model } from "@residua/engine";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { rawTensor, start, tinyConfig, type Running } from "../support.ts";
import { formOf, replay, valuesOf } from "./compare-support.ts";
import { elsewhere, faultsHere, recordings, refusedHere, type Recording } from "./recordings.ts";
import { chattingModel } from "./vllm-support.ts";

let model: Model;
let running: Running;
let guarded: Running;
beforeAll(async () => {
  model = await chattingModel();
  running = await start({ model, modelId: "smollm2", profile: "vllm" });
  guarded = await start({ model, modelId: "smollm2", profile: "vllm", apiKey: "<key>" });
});
afterAll(async () => {
  await guarded.server.close();
  await running.close();
});

/** A recorded body for a model of other sizes: layers, widths and ids as this one has them. */
function fitted(body: unknown): unknown {
  if (typeof body !== "object" || body === null) return body;
  const { prompt, vllm_xargs, ...rest } = body as Record<string, unknown>;
  const fields: Record<string, unknown> = { ...rest };
  if (prompt !== undefined) fields["prompt"] = prompt === null ? null : fittedIds(prompt);
  for (const name of ["allowed_token_ids", "stop_token_ids", "tokens"])
    if (Array.isArray(fields[name])) fields[name] = fittedIds(fields[name]);
  if (typeof fields["max_tokens"] === "number") fields["max_tokens"] = Math.min(fields["max_tokens"], 40);
  if (vllm_xargs !== undefined) fields["vllm_xargs"] = fittedXargs(vllm_xargs as Record<string, unknown>);
  return fields;
}

function fittedIds(ids: unknown): unknown {
  if (Array.isArray(ids)) return ids.map(fittedIds);
  return typeof ids === "number" && ids > 0 && ids < 49_152 ? ids % 900 : ids;
}

function fittedXargs(xargs: Record<string, unknown>): object {
  const { output_residual_stream: layers, apply_steering_vectors: vectors } = xargs;
  const list = typeof layers === "string" ? /^ *\[[\d, .]+\] *$/.test(layers) : Array.isArray(layers);
  const steering =
    typeof vectors === "string" && vectors.startsWith(`[{"activations"`)
      ? (JSON.parse(vectors) as { activations: { shape: number[] }; layer_indices: number[] }[]).map(
          (vector) => {
            const shape = [...vector.activations.shape.slice(0, -1), tinyConfig.hidden_size];
            const zeros = Array<number>(shape.reduce((a, b) => a * b)).fill(0);
            return {
              ...vector,
              activations: rawTensor(zeros, shape),
              layer_indices: vector.layer_indices.map((_, layer) => layer),
            };
          },
        )
      : vectors;
  return {
    ...xargs,
    ...(list ? { output_residual_stream: "[0,2]" } : {}),
    ...(vectors === undefined
      ? {}
      : { apply_steering_vectors: typeof steering === "string" ? steering : JSON.stringify(steering) }),
  };
}

const known = ({ name }: Recording) => name in refusedHere || name in faultsHere || name in elsewhere;
const open = recordings.filter((one) => !known(one) && !one.name.startsWith("auth_"));
/** Tokenisers that add a BOS make a token of an empty text. */
const withoutBos = new Set(["err_prompt_empty_in_list", "tokenize_empty"]);

test.each(open.filter(({ name, answer }) => answer !== null && !withoutBos.has(name)))(
  "$name: status, fields and types without the weights",
  async (recording) => {
    const body = recording.name.startsWith("steer_bad_") ? recording.body : fitted(recording.body);
    const reply = await replay(running.server.url, { ...recording, body });
    expect(reply.status, reply.text.slice(0, 300)).toBe(recording.status);
    expect(reply.type).toBe(recording.type);
    expect(formOf(valuesOf(reply.text))).toEqual(formOf(valuesOf(recording.answer!)));
  },
);

test.each(recordings.filter(({ name }) => name.startsWith("auth_")))(
  "$name: who may ask",
  async (recording) => {
    const reply = await replay(guarded.server.url, {
      ...recording,
      headers: Object.fromEntries(
        Object.entries(recording.headers).map(([name, value]) => [name, value.replace("<other>", "<key>")]),
      ),
    });
    expect(reply.status).toBe(recording.status);
    if (recording.status === 401) expect(reply.text).toBe(recording.answer);
    else expect(formOf(valuesOf(reply.text))).toEqual(formOf(valuesOf(recording.answer!)));
  },
);

describe("the tables", () => {
  test("name recordings that there are", () => {
    const names = new Set(recordings.map(({ name }) => name));
    for (const name of Object.keys({ ...refusedHere, ...faultsHere, ...elsewhere }))
      expect(names).toContain(name);
  });
});
