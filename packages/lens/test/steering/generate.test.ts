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
        /no server takes ablation or clamping beside steering; .*residua_interventions.*residua export --ablate/,
      );
    },
  );

  it.each([1, "all", null])("verify: %s is refused", async (verify) => {
    await expect(lens.generate({ ...request, verify } as typeof request)).rejects.toThrow(
      'true, false, or "first layer"',
    );
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
