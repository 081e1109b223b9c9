import { createHash } from "node:crypto";
import { createClient } from "@residua/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { decodeTensor, tensorValues } from "../../src/codec/tensor-codec.ts";
import { createLens } from "../../src/create-lens.ts";
import type { Lens } from "../../src/lens-types.ts";
import { jsonServer, type JsonServer } from "../json-server.ts";
import { answerOf, frameOf, recordedCaptures, type RecordedCapture, tensorOf } from "./recordings.ts";

const digest = (...values: Float32Array[]) => {
  const hash = createHash("sha256");
  for (const list of values) hash.update(new Uint8Array(list.buffer, list.byteOffset, list.byteLength));
  return hash.digest("hex");
};

describe("every recorded capture", () => {
  it("there are 90, of 53 tensors, and those with an array beside them are equal to it", () => {
    expect(recordedCaptures).toHaveLength(90);
    expect(new Set(recordedCaptures.map(({ frame }) => frame?.[0]))).toHaveLength(54);
    const stored = recordedCaptures.flatMap(({ stored }) => stored ?? []);
    expect(stored.length).toBeGreaterThan(15);
    expect(stored).not.toContain(false);
  });

  it.each(recordedCaptures.filter(({ decoded }) => decoded !== null))(
    "$name decodes to what NumPy decoded, bit for bit",
    async (recorded) => {
      const { handle, ...wire } = tensorOf(recorded);
      const tensor = await decodeTensor(handle === undefined ? wire : { ...wire, data: frameOf(recorded) });
      expect(tensor.shape).toEqual(recorded.shape);
      expect(digest(tensorValues(tensor))).toBe(recorded.decoded);
    },
  );
});

/** Recorded answers to one prompt and one choice: what `lens.capture` gets when it asks the same. */
const answers = recordedCaptures.filter(
  ({ path, answer, request, frame }) =>
    frame !== undefined &&
    path === "/v1/completions" &&
    answer.choices?.length === 1 &&
    request.n === undefined,
);

/** Those that are not what was asked for. */
const refused: Readonly<Record<string, string>> = {
  "main/cap_sel_mixed": "layer_count",
  "main/steer_bad_hidden_575": "layer_count",
  "nan/nan_1_Infinity": "non_finite",
  "nan/nan_1_NaN": "non_finite",
};

describe("lens.capture over the recorded answers, one lens for all", () => {
  let server: JsonServer;
  let lens: Lens<"vllm">;
  let next: RecordedCapture;
  beforeAll(async () => {
    server = await jsonServer(({ path }) => {
      if (path === "/v1/models")
        return { body: { object: "list", data: [{ id: "smollm2", root: "SmolLM2", max_model_len: 1024 }] } };
      if (path.startsWith("/v1/activations/")) return { body: frameOf(next) };
      return path === "/v1/completions" ? { body: answerOf(next) } : undefined;
    });
    lens = makeLens();
  });
  afterAll(() => server.close());
  const makeLens = () =>
    createLens(createClient({ baseURL: `${server.url}/v1`, profile: "vllm", maxRetries: 0 }));

  it.each(answers)("$name", async (recorded) => {
    next = recorded;
    const { prompt = "", max_tokens } = recorded.request;
    const one = typeof prompt === "string" || typeof prompt[0] === "number" ? prompt : prompt[0];
    const layers = layersOf(recorded);
    const binary = "handle" in recorded.answer.activations.residual_stream;
    const asked = {
      model: "smollm2",
      prompt: one as string,
      layers,
      binary,
      // What the recorded hooks did is not known here; they ran at layer 9.
      ...(recorded.request.vllm_xargs?.["apply_hooks"] !== undefined && {
        hooks: [{ fn: { cloudpickle: "AAAA" }, layer_indices: [9] }],
      }),
      ...(max_tokens && { max_tokens }),
    };
    if (refused[recorded.name]) {
      // A lens that has learnt the model's depth would not send what names other layers.
      await expect(makeLens().capture(asked)).rejects.toMatchObject({ code: refused[recorded.name] });
      return;
    }
    const capture = await lens.capture(asked);
    expect(digest(...capture.layers.map((layer) => capture.layer(layer)))).toBe(recorded.decoded);
    const unverified = capture.checks.filter(({ status }) => status === "unverified").map(({ code }) => code);
    // The model's BOS is not known, nor are its layers and its width at first; a hook made every row of one zero.
    const may = ["layer_count", "hidden_size", "capture_limit", "double_bos"];
    // No tokenizer answers here, so that ids of a text are compared with nothing.
    if (typeof one === "string") may.push("token_ids");
    const zero =
      recorded.name === "hooks/hook_zero"
        ? ["repeated_rows", "other_request_rows", "zero_rows", "equal_layers"]
        : [];
    expect([...may, ...zero]).toEqual(expect.arrayContaining([...unverified, ...zero]));
  });
});

function layersOf({ request, shape }: RecordedCapture): number[] | "all" {
  const given = request.vllm_xargs?.["output_residual_stream"];
  const list =
    typeof given === "string" && given.trim().startsWith("[") ? (JSON.parse(given) as unknown[]) : given;
  if (!Array.isArray(list)) return shape[0] === 30 ? "all" : [0];
  return [...new Set(list.map(Number))];
}
