import { intervention, type Intervention, steeringVector } from "@residua/lens";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type LocalLens, openLocal } from "../../src/local/open-local.ts";
import { fixtureJson, fixtureTensors, tinyModel } from "../support.ts";

interface Reference {
  cases: {
    ids: number[];
    steering: { vector: string; scale: number; layers: number[]; positions: null }[];
    interventions: ({ direction: string; layers: number[]; positions: number[] | null } & (
      { kind: "ablate" } | { kind: "clamp"; value: number }
    ))[];
    greedy: number[];
  }[];
}

let lens: LocalLens;
let reference: Reference;
let tensors: Awaited<ReturnType<typeof fixtureTensors>>;
beforeAll(async () => {
  lens = await openLocal(tinyModel);
  reference = await fixtureJson<Reference>("tiny-interventions.json");
  tensors = await fixtureTensors("tiny-interventions.safetensors");
});
afterAll(() => lens.dispose());

const vectorOf = (name: string) => tensors.get(`vector.${name}`) as Float32Array;
const ablateAll = (direction: Float32Array): Intervention =>
  intervention({ kind: "ablate", direction, layers: [0, 1, 2, 3, 4, 5] });

describe("interventions", () => {
  test("do in captures and completions what hooks on transformers' blocks do", async () => {
    for (const [n, { ids, steering, interventions, greedy }] of reference.cases.entries()) {
      const request = {
        prompt: ids,
        max_tokens: greedy.length,
        temperature: 0,
        steering: steering.map(({ vector, scale, layers }) =>
          steeringVector({
            rows: Object.fromEntries(layers.map((layer) => [layer, vectorOf(vector)])),
            scale,
          }),
        ),
        interventions: interventions.map(({ positions, direction, ...what }) =>
          intervention({ ...what, direction: vectorOf(direction), ...(positions && { positions }) }),
        ),
      };
      const { choices } = await lens.generate(request);
      const tokens = choices[0]!.token_ids!;
      expect(tokens).toEqual(greedy.slice(0, tokens.length));
      const capture = await lens.capture({ ...request, layers: "all", max_tokens: 1 });
      const expected = tensors.get(`residual.${n}`) as Float32Array;
      const rows = ids.length + greedy.length - 1;
      for (const layer of capture.layers) {
        const found = capture.layer(layer);
        const wanted = expected.subarray(layer * rows * 96).subarray(0, found.length);
        const distance = Math.hypot(...found.map((value, i) => value - wanted[i]!)) / Math.hypot(...wanted);
        // bfloat16 keeps 8 bits.
        expect(distance).toBeLessThan(2 ** -8);
      }
    }
  });

  test("take the direction out of every row; with many at once as alone", async () => {
    const direction = vectorOf("a");
    const prompts = ["The city of Paris is in Europe.", "The baker fed the horses"];
    const request = { layers: [0, 3, 5], interventions: [ablateAll(direction)] };
    for await (const { capture } of lens.captureMany({ prompt: prompts, ...request })) {
      for (const layer of capture!.layers) {
        for (const row of capture!.rows(layer)) {
          const along =
            row.reduce((sum, value, i) => sum + value * direction[i]!, 0) / Math.hypot(...direction);
          expect(Math.abs(along)).toBeLessThan(0.01 * Math.hypot(...row));
        }
      }
    }
  });

  test("a text that is long enough for the position, and no longer", async () => {
    const at = (position: number) =>
      intervention({ kind: "clamp", value: 1, direction: vectorOf("b"), layers: [2], positions: [position] });
    const request = { prompt: "The city of Paris is in", layers: [2] };
    expect((await lens.capture({ ...request, interventions: [at(7)] })).positions).toBe(8);
    await expect(lens.capture({ ...request, interventions: [at(8)] })).rejects.toMatchObject({
      code: "steering_positions",
    });
  });

  test.each<[string, object]>([
    ["steering_width", { interventions: [intervention({ kind: "ablate", direction: [1, 2], layers: [1] })] }],
    [
      "steering_layer",
      {
        interventions: [
          intervention({ kind: "ablate", direction: new Float32Array(96).fill(1), layers: [6] }),
        ],
      },
    ],
    ["invalid_request", { interventions: [{ kind: "ablate" }] }],
    ["invalid_request", { interventions: Array(9).fill(ablateAll(new Float32Array(96).fill(1))) }],
    ["invalid_request", { interventions: [ablateAll(new Float32Array(96).fill(1))], verify: true }],
  ])("%s, case %#", async (code, more) => {
    await expect(lens.capture({ prompt: "The", layers: [1], ...more })).rejects.toMatchObject({ code });
    await expect(lens.generate({ prompt: "The", max_tokens: 1, ...more })).rejects.toMatchObject({ code });
  });
});
