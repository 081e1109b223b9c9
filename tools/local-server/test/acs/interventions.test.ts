import { float32ToBf16 } from "@residua/engine";
import { describe, expect, test } from "vitest";
import { bitsOf, rawTensor, refused, serve, someVector } from "../support.ts";

const running = serve();

const prompt = "The city of Rome is in Europe. Verdict:";
const direction = someVector(96, 7);
const wire = rawTensor(direction, [96]);
const ablate = { kind: "ablate", direction: wire, layer_indices: [1, 4] };
const clamp = { kind: "clamp", value: 2.5, direction: wire, layer_indices: [2], position_indices: [0, 3] };

describe("residua_interventions", () => {
  // The engine's own interventions are compared with hooks on transformers in its tests.
  test("are the engine's, in order and after steering, in the tokens and in the capture", async () => {
    const v = someVector(96, 8);
    const steering = { activations: rawTensor(v, [1, 96]), layer_indices: [1], scale: 2 };
    const body = {
      prompt,
      max_tokens: 4,
      temperature: 0,
      output_residual_stream: [1, 2, 4],
      apply_steering_vectors: [steering],
      residua_interventions: [ablate, clamp],
    };
    const { body: answer } = await running.complete(body);
    const at = { direction: Float32Array.from(direction) };
    const [own] = await running.model.generate([
      {
        prompt: running.model.tokenizer.encode(prompt),
        maxTokens: 4,
        temperature: 0,
        capture: [1, 2, 4],
        steering: [{ layers: [1], rows: Float32Array.from(v), positions: null, scale: 2, normMatch: false }],
        interventions: [
          { kind: "ablate", layers: [1, 4], positions: null, ...at },
          { kind: "clamp", value: 2.5, layers: [2], positions: [0, 3], ...at },
        ],
      },
    ]);
    const bits = bitsOf(answer.activations!.residual_stream);
    expect([...bits]).toEqual(own!.capture!.values.flatMap((rows) => [...float32ToBf16(rows)]));
    expect(answer.choices[0]!.text).toBe(own!.choices[0]!.text);
    const plain = await running.complete({ ...body, residua_interventions: null });
    expect([...bitsOf(plain.body.activations!.residual_stream)]).not.toEqual([...bits]);
  });

  test("hold for every choice of every prompt", async () => {
    const fields = { max_tokens: 6, n: 2, seed: 3, temperature: 1, residua_interventions: [ablate] };
    const prompts = [prompt, "To see Tulsa one must go to"];
    const both = await running.complete({ prompt: prompts, ...fields });
    const alone = await Promise.all(prompts.map((one) => running.complete({ prompt: one, ...fields })));
    expect(both.body.choices.map(({ text }) => text)).toEqual(
      alone.flatMap(({ body }) => body.choices.map(({ text }) => text)),
    );
  });

  test.each([
    ["width", { ...ablate, direction: rawTensor([1, 2], [2]) }, "[0].direction.shape: is [2]"],
    ["rank", { ...ablate, direction: rawTensor(direction, [1, 96]) }, "[0].direction.shape"],
    ["zeros", { ...ablate, direction: rawTensor(new Array(96).fill(0), [96]) }, "[0].direction: holds zeros"],
    ["layer", { ...ablate, layer_indices: [6] }, "[0].layer_indices: layer 6 is out of range"],
    ["layer twice", { ...ablate, layer_indices: [1, 1] }, "[0].layer_indices: layer 1 is named twice"],
    ["position", { ...clamp, position_indices: [500] }, "[0].position_indices: 500 is beyond the last"],
    ["value missing", { ...clamp, value: undefined }, "[0].value"],
    ["value with ablate", { ...ablate, value: 1 }, "[0].value: unknown field"],
    ["kind", { ...ablate, kind: "add" }, "[0].kind"],
  ])("with a wrong %s are refused by name", async (_, intervention, problem) => {
    const message = await refused(running, {
      prompt,
      max_tokens: 1,
      residua_interventions: [intervention],
    });
    expect(message).toContain(`residua_interventions${problem}`);
  });

  test("are at most 8", async () => {
    const body = { prompt, max_tokens: 1, temperature: 0 };
    const many = (count: number) => ({ ...body, residua_interventions: Array(count).fill(ablate) });
    expect((await running.complete(many(8))).status).toBe(200);
    expect(await refused(running, many(9))).toContain("residua_interventions");
  });
});
