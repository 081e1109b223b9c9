import { describe, expect, it } from "vitest";
import { steeringVector } from "../../src/steering/steering-vector.ts";
import { exchange } from "../replay-server.ts";
import { vllmAt } from "../recorded/vllm-replay.ts";

const prompt = "The capital of France is";
const known = { models: { smollm2: { hiddenSize: 4, layers: 30 } } };

/** The causes of a missing capture in the order in which the error names them. */
async function causes({ collect = 404, steered = false, models = {} } = {}): Promise<string[]> {
  const { lens } = await vllmAt(
    ({ path }) => {
      if (path === "/v1/completions") return { body: exchange("dis_cap").response_body };
      return path === "/v1/hooks/collect" ? { status: collect, body: { results: {} } } : undefined;
    },
    { models },
  );
  const steering = steered ? [steeringVector({ rows: { 3: [1, 2, 3, 4] } })] : [];
  const error = await lens.capture({ prompt, layers: [3], max_tokens: 4, steering }).catch((e: unknown) => e);
  expect(error).toMatchObject({ code: "missing_activations" });
  const { message } = error as Error;
  return message.slice(message.indexOf("first: ") + 7).split("; ");
}

describe("C8, C9: a 200 without a capture", () => {
  it("names the plugin first where its route is missing", async () => {
    const [first] = await causes();
    expect(first).toMatch(/^the plugin vllm-lens is not installed.* \(this is seen here\)$/);
  });

  it("names it last where its route is there, and first what speaks for it", async () => {
    const list = await causes({ collect: 200 });
    expect(list[0]).toBe("no asked layer exists in the model");
    expect(list.filter((cause) => cause.includes("not this request"))).toHaveLength(3);
    expect(list.at(-1)).toMatch(/several choices/);
    expect(list.findIndex((cause) => cause.startsWith("the plugin"))).toBeGreaterThan(2);
  });

  it("knows the layers of the model, and whether the request steers", async () => {
    const list = await causes({ collect: 200, models: known.models, steered: true });
    expect(list[0]).toMatch(/^a steering vector of the wrong width/);
    expect(list.find((cause) => cause.startsWith("no asked layer"))).toMatch(/not this request/);
  });

  it("keeps the order where nothing is seen", async () => {
    const list = await causes({ collect: 500 });
    expect(list[0]).toMatch(
      /^the plugin vllm-lens is not installed, or is switched off \(VLLM_LENS_DISABLE\)$/,
    );
  });
});
