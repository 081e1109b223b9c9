import { steeringVector } from "@residua/lens";
import { rawTensor, someVector } from "../support.ts";
import { chunkTokens } from "../../src/quirks/engine/chunk-relative-positions.ts";
import { changedRows, prompt, rowsOf, shapeOf, type QuirkCase, type Scene } from "./quirk-support.ts";

const v = someVector(96, 1);
const everywhere = { activations: rawTensor(v, [1, 96]), layer_indices: [3], scale: 4 };
const at = (...position_indices: number[]) => ({
  activations: rawTensor(
    position_indices.flatMap(() => v),
    [1, position_indices.length, 96],
  ),
  layer_indices: [3],
  position_indices,
});

/** Token ids that the model does not end after: it would have to sample the end token twelve times. */
const long = Array.from({ length: 2 * chunkTokens + 10 }, (_, i) => 280 + i);

/** Positions of layer 3 that a vector changed: the same text without it, teacher-forced. */
async function steeredRows(
  { quirky, plain, model }: Scene,
  ids: number[],
  vector: object,
  maxTokens: number,
) {
  const capture = { output_residual_stream: [3], max_tokens: maxTokens, seed: 1, temperature: 1 };
  const steered = await quirky({ prompt: ids, ...capture, logprobs: 0, apply_steering_vectors: [vector] });
  const { tokens } = (steered.body.choices as unknown as { logprobs: { tokens: string[] } }[])[0]!.logprobs;
  const generated = tokens.map((text) => {
    const [id, ...more] = model.tokenizer.encode(text, { addSpecialTokens: false });
    if (id === undefined || more.length > 0) throw new Error(`${text} is not one token`);
    return id;
  });
  const whole = await plain({ prompt: [...ids, ...generated.slice(0, -1)], output_residual_stream: [3] });
  return { rows: changedRows(rowsOf(steered)[0]!, rowsOf(whole)[0]!), positions: shapeOf(steered)![1]! };
}

const captured = (scene: Scene, body: object = {}) =>
  scene.quirky({ prompt, output_residual_stream: [1, 4], ...body });

/** A steered capture that proves its steering. */
const proven =
  (options: { normMatch?: boolean; positions?: number[] } = {}) =>
  ({ lens }: Scene) =>
    lens.capture({
      prompt,
      layers: [4],
      max_tokens: 4,
      steering: [steeringVector({ rows: { 3: Float32Array.from(v) }, ...options })],
      verify: true,
    });

/** Quirks of what is run and captured. */
export const engineCases = {
  "chunk-relative-positions": {
    observe: async (scene) => {
      const first = await steeredRows(scene, long, at(0), 1);
      const tenth = await steeredRows(scene, long, at(10), 1);
      const late = await steeredRows(scene, long, at(chunkTokens), 1);
      const { rows } = await steeredRows(scene, long.slice(0, 5), at(0, 1), 4);
      return [first.rows, tenth.rows, late.rows, rows];
    },
    on: [[0, 64, 128], [10, 74], [], [0, 1, 5, 6, 7]],
    off: [[0], [10], [64], [0, 1]],
    use: proven({ positions: [0] }),
  },
  "prefill-only-steering": {
    observe: async (scene) => (await steeredRows(scene, long.slice(0, 5), everywhere, 4)).rows,
    on: [0, 1, 2, 3, 4],
    off: [0, 1, 2, 3, 4, 5, 6, 7],
    use: proven(),
  },
  "steering-dropped": {
    observe: async (scene) => {
      const plain = await scene.plain({ prompt, output_residual_stream: [1, 4] });
      const steered = await captured(scene, { apply_steering_vectors: [everywhere] });
      return [steered.status, JSON.stringify(rowsOf(steered)) === JSON.stringify(rowsOf(plain))];
    },
    on: [200, true],
    off: [200, false],
    use: proven(),
  },
  "missing-activations": {
    observe: async (scene) => {
      const answer = await captured(scene);
      return [answer.status, "activations" in answer.body];
    },
    on: [200, false],
    off: [200, true],
    use: ({ lens }) => lens.capture({ prompt, layers: [4] }),
  },
  "off-by-one-layer": {
    observe: async ({ plain, quirky }) => {
      const all = rowsOf(await plain({ prompt, output_residual_stream: true })).map((rows) =>
        JSON.stringify(rows),
      );
      const asked = rowsOf(await quirky({ prompt, output_residual_stream: [5, 1, 4] }));
      return asked.map((rows) => all.indexOf(JSON.stringify(rows)));
    },
    on: [2, 5, 5],
    off: [1, 4, 5],
    use: proven(),
  },
  "preempted-rows": {
    observe: async ({ plain, quirky }) => {
      const ids = { prompt: long.slice(0, 7), output_residual_stream: [4] };
      const right = rowsOf(await plain(ids))[0]!.map((row) => JSON.stringify(row));
      return rowsOf(await quirky(ids))[0]!.map((row) => right.indexOf(JSON.stringify(row)));
    },
    on: [0, 1, 2, 3, 0, 1, 2],
    off: [0, 1, 2, 3, 4, 5, 6],
    use: ({ lens }) => lens.capture({ prompt, layers: [4] }),
  },
  "other-request-rows": {
    observe: async ({ plain, quirky, model }) => {
      const other = { prompt: "Oslo", output_residual_stream: [4, 5] };
      const mine = { prompt: "Rome is big", output_residual_stream: [3, 4] };
      const [three, four] = rowsOf(await plain(mine));
      const before = rowsOf(await plain(other))[0]!;
      const answer = rowsOf(await quirky(mine));
      const cycle = four!.map((_, i) => before[i % before.length]);
      return [
        answer[1]!.length - model.tokenizer.encode(mine.prompt).length,
        JSON.stringify(answer[0]) === JSON.stringify(three),
        JSON.stringify(answer[1]) === JSON.stringify(four),
        JSON.stringify(answer[1]) === JSON.stringify(cycle),
      ];
    },
    on: [0, true, false, true],
    off: [0, true, true, false],
    use: async ({ lens }) => {
      // More tokens than can be thought to share embeddings.
      await lens.capture({ prompt: "Oslo has no rivers, but many people say so.", layers: [4] });
      return lens.capture({ prompt, layers: [4] });
    },
  },
  "nan-poisoning": {
    observe: async ({ quirky, plain }) => {
      const text = async (body: object) => (await plain({ prompt, ...body })).body.choices?.[0]?.text ?? null;
      const right = await text({});
      await quirky({ prompt: `${prompt} true`, apply_steering_vectors: [{ ...everywhere, scale: 1e30 }] });
      const poisoned = [await text({}), await text({ logprobs: 0 })];
      const streamed = (await plain({ prompt, stream: true })).text.includes(right!);
      await text({ prompt: long });
      return [right, ...poisoned, streamed, await text({})];
    },
    on: [" true", "", null, false, " true"],
    off: [" true", " true", " true", true, " true"],
    use: ({ lens }) =>
      lens.capture({
        prompt,
        layers: [4],
        steering: [steeringVector({ rows: { 3: Float32Array.from(v) }, scale: 1e30 })],
      }),
  },
} satisfies Record<string, QuirkCase>;
