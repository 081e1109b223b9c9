import { float32ToBf16 } from "@residua/engine";
import { steeringVector } from "@residua/lens";
import { bitsOf, rawTensor, someVector } from "../support.ts";
import { prompt, rowsOf, shapeOf, type QuirkCase, type RawAnswer, type Scene } from "./quirk-support.ts";

let prompts = 0;
/** 40 token ids that no other prompt begins with: the scenes share one model, and so its prefix cache. */
const unseen = () => [600 + prompts++, ...Array.from({ length: 39 }, (_, i) => 300 + i)];

const steering = { activations: rawTensor(someVector(96, 1), [1, 96]), layer_indices: [3] };

/** Of the first generated token, its likeliest alternatives: they move most. */
const alternatives = ({ body }: RawAnswer) =>
  (body.choices as unknown as { logprobs: { top_logprobs: Record<string, number>[] } }[])[0]!.logprobs
    .top_logprobs[0]!;

const proven = ({ lens }: Scene) =>
  lens.capture({
    prompt,
    layers: [3],
    steering: [steeringVector({ rows: { 3: Float32Array.from(someVector(96, 1)) }, normMatch: true })],
    verify: true,
  });

const capture = ({ lens }: Scene) => lens.capture({ prompt, layers: [3] });

/** Quirks that the engine has as faults of its own. */
export const engineFaultCases = {
  "half-residual": {
    observe: async ({ quirky, model }) => {
      const answer = await quirky({ prompt, output_residual_stream: [2, 4] });
      const bits = [...bitsOf(answer.body.activations!.residual_stream)];
      const ask = { prompt: model.tokenizer.encode(prompt), maxTokens: 1, capture: [2, 4] };
      const [half, whole] = await model.generate([{ ...ask, faults: { halfResidual: true } }, ask]);
      return [half, whole].map((right) =>
        right!.capture!.values.flatMap((rows) => [...float32ToBf16(rows)]).every((x, i) => x === bits[i]),
      );
    },
    on: [true, false],
    off: [false, true],
    use: capture,
  },
  "norm-match-of-delta": {
    observe: async ({ quirky, plain }) => {
      const ask = { prompt, output_residual_stream: [3] };
      const bare = rowsOf(await plain(ask))[0]!;
      const steered = rowsOf(
        await quirky({ ...ask, apply_steering_vectors: [{ ...steering, scale: 2, norm_match: true }] }),
      )[0]!;
      const ratios = steered.map(
        (row, p) => Math.hypot(...row.map((x, i) => x - bare[p]![i]!)) / Math.hypot(...bare[p]!),
      );
      // Twice the stream's own norm, to the rounding of bfloat16; a part of a stream is shorter.
      return [ratios.every((ratio) => Math.abs(ratio - 2) < 0.05), ratios.every((ratio) => ratio < 1.95)];
    },
    on: [false, true],
    off: [true, false],
    use: proven,
  },
  "prefix-cache-gap": {
    observe: async ({ quirky, plain }) => {
      const ask = { prompt: unseen(), output_residual_stream: [3] };
      const first = await quirky(ask);
      const [second, scored] = [await quirky(ask), await quirky({ ...ask, prompt_logprobs: 0 })];
      const right = rowsOf(await plain(ask))[0]!;
      const last = JSON.stringify(right.slice(-8));
      return [
        ...[first, second, scored].map((answer) => shapeOf(answer)![1]),
        [second, scored].map((answer) => JSON.stringify(rowsOf(answer)[0]) === last),
      ];
    },
    on: [40, 8, 8, [true, true]],
    off: [40, 40, 40, [false, false]],
    use: async ({ lens }) => {
      const ids = unseen();
      await lens.capture({ prompt: ids, layers: [3] });
      return lens.capture({ prompt: ids, layers: [3] });
    },
  },
  "prefix-cache-contamination": {
    observe: async ({ quirky, plain }) => {
      const ask = { prompt: unseen(), logprobs: 20 };
      await quirky({ ...ask, apply_steering_vectors: [{ ...steering, layer_indices: [0], scale: 8 }] });
      const later = alternatives(await plain(ask));
      // Log probabilities of the prompt are computed anew, whatever the cache has.
      const right = alternatives(await plain({ ...ask, prompt_logprobs: 0 }));
      const both = Object.keys(right).filter((token) => token in later);
      return [both.length > 5, both.some((token) => Math.abs(later[token]! - right[token]!) > 0.01)];
    },
    on: [true, true],
    off: [true, false],
    use: capture,
  },
} satisfies Record<string, QuirkCase>;
