import { float32ToBf16 } from "@residua/engine";
import { beforeAll, describe, expect, test } from "vitest";
import { bitsOf, floatsOf, rawTensor, someVector, refused, serve } from "../support.ts";

const running = serve();

const prompt = "The city of Rome is in Europe. Verdict:";
const encode = (text: string) => running.model.tokenizer.encode(text);

describe("capture", () => {
  test("is the engine's stream in bfloat16, rows ascending by layer, prompt + generated − 1 positions", async () => {
    const tokens = encode(prompt);
    const { body } = await running.complete({
      prompt,
      max_tokens: 3,
      temperature: 0,
      output_residual_stream: [3, 0],
    });
    const tensor = body.activations!.residual_stream;
    const [own] = await running.model.generate([
      { prompt: tokens, maxTokens: 3, temperature: 0, capture: [0, 3] },
    ]);
    const positions = tokens.length + body.usage.completion_tokens - 1;
    expect(tensor.shape).toEqual([2, positions, 96]);
    const expected = own!.capture!.values.flatMap((values) => [...float32ToBf16(values)]);
    expect([...bitsOf(tensor)]).toEqual(expected);
  });

  test("true gives all layers, false none", async () => {
    const all = await running.complete({ prompt: "Rome", max_tokens: 1, output_residual_stream: true });
    expect(all.body.activations!.residual_stream.shape).toEqual([
      running.model.config.layers,
      encode("Rome").length,
      96,
    ]);
    const none = await running.complete({ prompt: "Rome", max_tokens: 1, output_residual_stream: false });
    expect(none.body).not.toHaveProperty("activations");
  });
});

describe("steering", () => {
  // A text that the model goes on with for more than three tokens.
  let tokens: number[];
  beforeAll(() => {
    tokens = encode("The city of Rome is");
  });
  const ask = async (steering: object[] | undefined, extra: object = {}) => {
    const { status, body } = await running.complete({
      prompt: tokens,
      max_tokens: 5,
      temperature: 0,
      output_residual_stream: true,
      ...extra,
      ...(steering && { apply_steering_vectors: steering }),
    });
    expect(status).toBe(200);
    const { shape } = body.activations!.residual_stream;
    const values = floatsOf(body.activations!.residual_stream);
    const row = (layer: number, position: number) => {
      const at = (layer * shape[1]! + position) * 96;
      return values.subarray(at, at + 96);
    };
    return { row, positions: shape[1]!, text: body.choices[0]!.text };
  };
  const close = (delta: number, expected: number, size: number) =>
    // Two roundings to bfloat16, each at most 2^-9 of the number rounded.
    expect(Math.abs(delta - expected)).toBeLessThanOrEqual((2 * size + Math.abs(expected)) * 2 ** -8 + 1e-6);

  test("a 2-D vector is added at its layer at every position, decoded ones too", async () => {
    const v = someVector(96, 1);
    const plain = await ask(undefined, { max_tokens: 1 });
    const steered = await ask([{ activations: rawTensor(v, [1, 96]), layer_indices: [2], scale: 3 }]);
    for (let position = 0; position < tokens.length; position++) {
      expect(steered.row(1, position)).toEqual(plain.row(1, position));
      const before = plain.row(2, position);
      steered
        .row(2, position)
        .forEach((value, i) => close(value - before[i]!, 3 * v[i]!, Math.abs(before[i]!)));
    }
    // A decoded row: the engine run on the whole text, steered alike, gives the same bits.
    const again = await ask([{ activations: rawTensor(v, [1, 96]), layer_indices: [2], scale: 3 }]);
    expect(again.text).toBe(steered.text);
    expect(steered.positions).toBeGreaterThan(tokens.length);
  });

  test("3-D positions are absolute: index 0 is added once, a decode position where it stands", async () => {
    const decode = tokens.length + 1;
    const positions = [0, 3, decode];
    const v = someVector(3 * 96, 2).map((value) => value / 4);
    const vector = { activations: rawTensor(v, [1, 3, 96]), layer_indices: [1], position_indices: positions };
    const steered = await ask([vector]);
    const sequence = await running.model.generate([
      {
        prompt: tokens,
        maxTokens: 5,
        temperature: 0,
        steering: [{ layers: [1], rows: Float32Array.from(v), positions, scale: 1, normMatch: false }],
      },
    ]);
    const full = [...tokens, ...sequence[0]!.choices[0]!.tokens];
    const [baseline] = await running.model.generate([
      { prompt: full.slice(0, -1), maxTokens: 1, capture: [0, 1] },
    ]);
    expect(steered.positions).toBe(full.length - 1);
    expect(steered.positions).toBeGreaterThan(decode);
    for (let position = 0; position < steered.positions; position++) {
      const before = baseline!.capture!.values[1]!.subarray(position * 96, (position + 1) * 96);
      // Layer 1 adds after its block: the rows below are those of the unsteered text up to layer 1.
      const j = positions.indexOf(position);
      steered.row(1, position).forEach((value, i) => {
        close(value - before[i]!, j < 0 ? 0 : v[j * 96 + i]!, Math.abs(before[i]!));
      });
    }
  });

  test("a stream beyond what bfloat16 holds is refused, not captured as infinity", async () => {
    const last = running.model.config.layers - 1;
    const huge = {
      activations: rawTensor(new Array(96).fill(1), [1, 1, 96]),
      layer_indices: [last],
      position_indices: [0],
    };
    const body = { prompt: tokens, max_tokens: 1, output_residual_stream: [last] };
    expect(await refused(running, { ...body, apply_steering_vectors: [{ ...huge, scale: 3.4e38 }] })).toMatch(
      /not finite in bfloat16 at layer \d+, position 0; lower the scale/,
    );
  });

  test("a position that no token can have is refused: it would steer nothing", async () => {
    const at = (position: number) => ({
      prompt: tokens,
      max_tokens: 5,
      apply_steering_vectors: [
        {
          activations: rawTensor(someVector(96, 3), [1, 1, 96]),
          layer_indices: [1],
          position_indices: [position],
        },
      ],
    });
    const last = tokens.length + 5 - 2;
    expect((await running.complete(at(last))).status).toBe(200);
    expect(await refused(running, at(last + 1))).toBe(
      `apply_steering_vectors[0].position_indices: ${last + 1} is beyond the last position that can run, ${last} (prompt tokens + max_tokens - 2)`,
    );
  });

  test("3-D without position_indices starts at position 0", async () => {
    const v = someVector(2 * 96, 4);
    const implicit = await ask([{ activations: rawTensor(v, [1, 2, 96]), layer_indices: [3] }]);
    const explicit = await ask([
      { activations: rawTensor(v, [1, 2, 96]), layer_indices: [3], position_indices: [0, 1] },
    ]);
    for (let position = 0; position < implicit.positions; position++) {
      expect(implicit.row(4, position)).toEqual(explicit.row(4, position));
    }
  });

  test("norm_match adds scale × the stream's own norm", async () => {
    const plain = await ask(undefined, { max_tokens: 1 });
    for (const scale of [0.5, -2]) {
      const steered = await ask(
        [{ activations: rawTensor(someVector(96, 3), [1, 96]), layer_indices: [2], scale, norm_match: true }],
        { max_tokens: 1 },
      );
      for (let position = 0; position < tokens.length; position++) {
        const before = plain.row(2, position);
        const delta = Array.from(steered.row(2, position), (value, i) => value - before[i]!);
        expect(Math.hypot(...delta) / Math.hypot(...before)).toBeCloseTo(Math.abs(scale), 1.5);
      }
    }
  });

  test("bfloat16, float16 and zstd forms of one vector do the same", async () => {
    const { compress } = await import("@bokuweb/zstd-wasm");
    const v = Array.from({ length: 96 }, (_, i) => ((i % 9) - 4) / 4);
    const bf16 = new Uint8Array(float32ToBf16(Float32Array.from(v)).buffer);
    // Exact in half precision too: sign, exponent and two fraction bits.
    const half = new Uint8Array(Uint16Array.from(v, halfBits).buffer);
    const forms = [
      rawTensor(v, [1, 96]),
      { ...rawTensor(v, [1, 96]), original_dtype: "torch.float32" },
      wire(compress(new Uint8Array(Float32Array.from(v).buffer), 1), "float32", "torch.float32", "zstd"),
      wire(bf16, "int16", "torch.bfloat16"),
      wire(compress(bf16, 3), "int16", "torch.bfloat16", "zstd"),
      wire(half, "float16", "torch.float16"),
    ];
    const results = [];
    for (const activations of forms)
      results.push(await ask([{ activations, layer_indices: [0] }], { max_tokens: 1 }));
    for (const result of results) expect(result.row(4, 5)).toEqual(results[0]!.row(4, 5));
  });
});

function wire(bytes: Uint8Array, dtype: string, original_dtype: string, compression?: string) {
  return {
    data: Buffer.from(bytes).toString("base64"),
    dtype,
    original_dtype,
    shape: [1, 96],
    ...(compression && { compression }),
  };
}

function halfBits(value: number): number {
  if (value === 0) return 0;
  const exponent = Math.floor(Math.log2(Math.abs(value)));
  const fraction = Math.round((Math.abs(value) / 2 ** exponent - 1) * 1024);
  return (value < 0 ? 0x8000 : 0) | ((exponent + 15) << 10) | fraction;
}

test("twenty requests at once, steered each in its own way, get what they get alone", async () => {
  const requests = Array.from({ length: 20 }, (_, i) => ({
    prompt: Array.from({ length: 3 + (i % 5) }, (_, j) => 280 + i * 7 + j),
    max_tokens: 1 + (i % 4),
    temperature: i % 3,
    seed: i,
    output_residual_stream: [i % 5],
    ...(i % 4 === 0
      ? {}
      : {
          apply_steering_vectors: [
            { activations: rawTensor(someVector(96, i), [1, 96]), layer_indices: [i % 5], scale: i },
          ],
        }),
  }));
  const together = await Promise.all(requests.map((request) => running.complete(request)));
  for (const [i, request] of requests.entries()) {
    const alone = await running.complete(request);
    expect(together[i]!.status).toBe(200);
    expect(together[i]!.body.choices).toEqual(alone.body.choices);
    expect(together[i]!.body.activations).toEqual(alone.body.activations);
  }
});
