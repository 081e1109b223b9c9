import { type Client, createClient } from "@residua/client";
import { createLens, decodeActivations, type Lens } from "@residua/lens";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { serve } from "../support.ts";

const request = { model: "tiny", prompt: "The city of Rome is in", layers: [1, 3], max_tokens: 3 };

describe("captures by handle at the local server", () => {
  const running = serve({ profile: "vllm" });
  let client: Client<"vllm">;
  let lens: Lens<"vllm">;
  beforeAll(() => {
    client = createClient({ baseURL: running.server.url, profile: "vllm" });
    lens = createLens(client);
  });
  afterAll(() => client.close());

  test("hold what captures in the answer hold, with the same checks", async () => {
    // The first capture teaches the model's width, which later ones are checked against.
    await lens.capture(request);
    const inside = await lens.capture(request);
    const fetched = await lens.capture({ ...request, binary: true });
    for (const layer of request.layers) expect(fetched.view(layer)).toEqual(inside.view(layer));
    expect(fetched.position(-1)).toEqual(inside.position(-1));
    expect(fetched.tokens).toEqual(inside.tokens);
    const codes = (checks: typeof inside.checks) => checks.map(({ code, status }) => `${code} ${status}`);
    expect(codes(fetched.checks)).toEqual(codes(inside.checks));
  });

  test("are found by decodeActivations, as long as the server has them", async () => {
    const vllm_xargs = { output_residual_stream: "[3]", activations_transport: "binary" };
    const body = { model: "tiny", prompt: request.prompt, max_tokens: 1, vllm_xargs };
    const answer = await client.request({ method: "POST", path: "/completions", body });
    const { tensors } = await decodeActivations(answer.body, { client });
    expect(tensors["residual_stream"]?.shape).toHaveLength(3);
    const { activations } = answer.body as { activations: { residual_stream: { handle: string } } };
    activations.residual_stream.handle = "x".repeat(32);
    await expect(decodeActivations(answer.body, { client })).rejects.toMatchObject({
      code: "handle_expired",
    });
  });
});
