import { createClient } from "@residua/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createLens } from "../../src/create-lens.ts";
import type { Lens } from "../../src/lens-types.ts";
import { steeringVector } from "../../src/steering/steering-vector.ts";
import { replayServer, type ReplayServer, rightAnswer, tiny } from "../replay-server.ts";

let server: ReplayServer;
let lens: Lens;
beforeAll(async () => {
  server = await replayServer([tiny], (request) => rightAnswer(request));
  lens = createLens(server.client);
});
afterAll(() => server.close());

const steering = [steeringVector({ rows: { 3: [1, 2, 3, 4, 5, 6, 7, 8] }, positions: [1] })];
const request = { prompt: [0, 5, 6], max_tokens: 2, steering };

describe("generate", () => {
  it("says what was not proven beside the completion, not in it", async () => {
    const completion = await lens.generate(request);
    expect(completion.checks).toEqual([
      expect.objectContaining({ code: "steering_positions", status: "unverified" }),
    ]);
    expect(Object.keys(completion)).not.toContain("checks");
    expect((await lens.capture({ ...request, layers: [3] })).checks).toContainEqual(
      expect.objectContaining({ code: "steering_positions", status: "unverified" }),
    );
  });

  it.each(["ablate", "clamp", "residua_interventions"])(
    "%s: says where there is such a thing",
    async (field) => {
      const asked = lens.generate({ ...request, [field]: {} });
      await expect(asked).rejects.toMatchObject({ code: "invalid_request" });
      await expect(asked).rejects.toThrow(
        /no server takes ablation or clamping beside steering but Residua's own, in residua_interventions.*residua export --ablate/,
      );
    },
  );

  it.each([1, "all", null])("verify: %s is refused", async (verify) => {
    await expect(lens.generate({ ...request, verify } as typeof request)).rejects.toThrow(
      'true, false, or "first layer"',
    );
  });
});

describe("positions in a text", () => {
  /** Words are tokens, behind a BOS. */
  const text = "one two three";
  const words = { encode: (prompt: string) => [0, ...prompt.split(" ").map((_, i) => 100 + i)] };
  const at = (...positions: number[]) => [
    steeringVector({ rows: { 3: [1, 2, 3, 4, 5, 6, 7, 8] }, positions }),
  ];
  const asked = (position: number, max_tokens: number) => ({
    ...{ prompt: text, steering: at(position), max_tokens, temperature: 0 },
  });
  const code = (promise: Promise<unknown>) =>
    promise.then(
      () => "taken",
      (error: { code?: string }) => error.code,
    );

  it("are refused before anything is sent where the text can be counted", async () => {
    const client = createClient({ baseURL: server.client.baseURL, tokenizer: words, maxRetries: 0 });
    const counting = createLens(client);
    const before = server.requests.length;
    for (const request of [asked(4, 1), asked(6, 3)]) {
      expect(await code(counting.generate(request))).toBe("steering_positions");
      expect(await code(counting.capture({ ...request, layers: [3] }))).toBe("steering_positions");
    }
    expect(server.requests.length).toBe(before);
    expect(await code(counting.generate(asked(3, 1)))).toBe("taken");
    expect(await code(counting.generate(asked(5, 3)))).toBe("taken");
    await client.close();
  });

  it("are sent and not proven where it cannot, and a proof that counted them refuses", async () => {
    const { checks } = await lens.generate(asked(4, 1));
    expect(checks.map(({ code, status }) => `${code} ${status}`)).toEqual(["steering_positions unverified"]);
    for (const request of [asked(4, 1), asked(6, 3)]) {
      // Each by a lens of its own: this server's rows are alike.
      const [one, two] = [createLens(server.client), createLens(server.client)];
      expect(await code(one.generate({ ...request, verify: true }))).toBe("steering_positions");
      expect(await code(two.verifySteering(request))).toBe("steering_positions");
    }
  });

  it("nothing steered is nothing proven", async () => {
    for (const steering of [[], undefined]) {
      const given = { prompt: text, ...(steering && { steering }), verify: true };
      const { checks } = await lens.generate(given);
      expect(checks).toEqual([expect.objectContaining({ code: "steering_delta", status: "unverified" })]);
    }
  });

  it.each([
    ["nothing", undefined, "(all)"],
    ["null", null, "(all)"],
    ["no prompt", {}, "prompt"],
    ["steering of another kind", { prompt: text, steering: 3 }, "steering"],
    ["an unknown field", { prompt: text, steerings: [] }, "did you mean steering?"],
  ])("verifySteering of %s names the field", async (_, given, field) => {
    const asked = lens.verifySteering(given as never);
    await expect(asked).rejects.toMatchObject({ code: "invalid_request" });
    await expect(asked).rejects.toThrow(field);
  });
});

it("a server that captures and does not steer fails the proof, and samples nothing", async () => {
  const before = server.requests.length;
  const everywhere = [steeringVector({ rows: { 3: [90, 80, 70, 60, -50, -40, 30, 20] } })];
  await expect(lens.generate({ ...request, steering: everywhere, verify: true })).rejects.toMatchObject({
    code: "steering_dropped",
  });
  const sent = server.requests.slice(before);
  expect(sent.map((body) => [body.output_residual_stream, body.apply_steering_vectors?.length ?? 0])).toEqual(
    [
      [[2, 3], 1],
      [undefined, 0],
      [[2, 3], 0],
    ],
  );
});
