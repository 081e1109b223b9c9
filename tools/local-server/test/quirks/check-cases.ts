import { steeringVector } from "@residua/lens";
import { rawTensor, someVector } from "../support.ts";
import { events, prompt, rowsOf, shapeOf, type QuirkCase } from "./quirk-support.ts";

const vector = (width: number, layer: number) => ({
  activations: rawTensor(someVector(width, 1), [1, width]),
  layer_indices: [layer],
  scale: 4,
});

/** Quirks that let a request pass which a right server refuses, or read it wrongly. */
export const checkCases = {
  "string-list-all-layers": {
    observe: async ({ quirky }) => shapeOf(await quirky({ prompt, output_residual_stream: [4] }))?.[0],
    on: 6,
    off: 1,
    use: ({ lens }) => lens.capture({ prompt, layers: [4] }),
  },
  "unknown-layers-dropped": {
    observe: async ({ quirky }) => {
      const answers = [[3, 99], [99], [3, 3]].map((output_residual_stream) =>
        quirky({ prompt, output_residual_stream }),
      );
      return (await Promise.all(answers)).map((answer) => [answer.status, shapeOf(answer)?.[0] ?? null]);
    },
    on: [
      [200, 1],
      [200, null],
      [200, 1],
    ],
    off: [
      [400, null],
      [400, null],
      [400, null],
    ],
    // Of this id lens knows neither the layers nor the width.
    use: ({ lens }) => lens.capture({ model: "tiny-uncatalogued", prompt, layers: [3, 99] }),
  },
  "wrong-width-accepted": {
    observe: async ({ quirky, plain }) => {
      const bare = await plain({ prompt, output_residual_stream: [2, 4] });
      const ask = (output_residual_stream: number[]) =>
        quirky({ prompt, output_residual_stream, apply_steering_vectors: [vector(97, 3)] });
      const [two, one] = await Promise.all([ask([2, 3, 4]), ask([3])]);
      const same = two.status === 200 && JSON.stringify(rowsOf(two)) === JSON.stringify(rowsOf(bare));
      return [two.status, shapeOf(two)?.[0] ?? null, same, one.status, shapeOf(one)];
    },
    on: [200, 2, true, 200, null],
    off: [400, null, false, 400, null],
    use: ({ lens }) =>
      lens.capture({
        model: "tiny-uncatalogued",
        prompt,
        layers: [2, 3, 4],
        steering: [steeringVector({ rows: { 3: Float32Array.from(someVector(97, 1)) } })],
      }),
  },
  "dropped-with-n": {
    observe: async ({ quirky, plain }) => {
      const both = { prompt, n: 2, max_tokens: 4, temperature: 1, seed: 5 };
      const bare = await plain(both);
      const steered = await quirky({
        ...both,
        output_residual_stream: [4],
        apply_steering_vectors: [vector(96, 3)],
      });
      const texts = steered.body.choices?.map(({ text }) => text) ?? [];
      const same = JSON.stringify(texts) === JSON.stringify(bare.body.choices!.map(({ text }) => text));
      return [steered.status, shapeOf(steered), same];
    },
    on: [200, null, true],
    off: [400, null, false],
    use: ({ client }) =>
      client.completions.create({ model: "tiny", prompt, n: 2, max_tokens: 1, output_residual_stream: [4] }),
  },
  "first-prompt-only": {
    observe: async ({ quirky, plain, model }) => {
      const prompts = [prompt, "The city of Oslo is"];
      const steering = { apply_steering_vectors: [{ ...vector(96, 3), scale: 20 }] };
      const alone = await plain({ prompt, max_tokens: 3, ...steering });
      const bare = await plain({ prompt: prompts, max_tokens: 3 });
      const both = await quirky({ prompt: prompts, max_tokens: 3, output_residual_stream: [4], ...steering });
      const [first, second] = both.body.choices?.map(({ text }) => text) ?? [];
      return [
        both.status,
        shapeOf(both)?.[1] === model.tokenizer.encode(prompt).length + 2,
        first === alone.body.choices![0]!.text && first !== bare.body.choices![0]!.text,
        second === bare.body.choices![1]!.text,
      ];
    },
    on: [200, true, true, true],
    off: [400, false, false, false],
    use: ({ client }) =>
      client.completions.create({
        model: "tiny",
        prompt: [prompt, "Rome"],
        max_tokens: 1,
        output_residual_stream: [4],
      }),
  },
  "stream-drops-capture": {
    observe: async ({ quirky }) => {
      const answer = await quirky({ prompt, stream: true, output_residual_stream: [4] });
      return [answer.status, answer.text.includes("activations"), events(answer).at(-1) ?? null];
    },
    on: [200, false, "data: [DONE]"],
    off: [400, false, null],
    use: ({ client }) =>
      client.completions.create({
        model: "tiny",
        prompt,
        stream: true,
        output_residual_stream: [4],
      }),
  },
  "doubled-bos": {
    observe: async ({ quirky, plain, model }) => {
      const ids = model.tokenizer.encode(prompt);
      const twice = await plain({ prompt: [ids[0]!, ...ids], output_residual_stream: [4] });
      const answer = await quirky({ prompt, output_residual_stream: [4] });
      return [
        answer.body.usage!.prompt_tokens - ids.length,
        shapeOf(answer)![1]! - ids.length,
        JSON.stringify(rowsOf(answer)) === JSON.stringify(rowsOf(twice)),
      ];
    },
    on: [1, 1, true],
    off: [0, 0, false],
    use: ({ lens }) => lens.capture({ prompt, layers: [4] }),
  },
} satisfies Record<string, QuirkCase>;
