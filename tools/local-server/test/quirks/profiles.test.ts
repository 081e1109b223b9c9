import type { Model } from "@residua/engine";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ApiError } from "@residua/engine/api";
import { profileNames, type ProfileName } from "../../src/profile.ts";
import { profiles } from "../../src/profiles.ts";
import { quirkList, type QuirkName } from "../../src/quirks/quirk-list.ts";
import { ServerError } from "../../src/server-error.ts";
import { rawTensor, someVector, start } from "../support.ts";
import { loadChatModel, prompt, shapeOf, withScene, type Scene } from "./quirk-support.ts";

let model: Model;
beforeAll(async () => {
  model = await loadChatModel();
});
afterAll(() => model.dispose());

const scene = <T>(profile: ProfileName, quirk: QuirkName | null, act: (scene: Scene) => Promise<T>) =>
  withScene(model, quirk, act, profile);

const vector = (width: number) => ({
  activations: rawTensor(someVector(width, 1), [1, width]),
  layer_indices: [3],
  scale: 20,
});
const xargs = (layers: number[] | null, ...vectors: object[]) => ({
  vllm_xargs: {
    ...(layers && { output_residual_stream: JSON.stringify(layers) }),
    ...(vectors.length > 0 && { apply_steering_vectors: JSON.stringify(vectors) }),
  },
});

describe("vllm: a request that the checks refuse", () => {
  const refused: [QuirkName, object, unknown][] = [
    ["dropped-with-n", { prompt, n: 2, temperature: 1, ...xargs([4], vector(96)) }, null],
    ["first-prompt-only", { prompt: [prompt, "Oslo"], ...xargs([4], vector(96)) }, 1],
    ["wrong-width-accepted", { prompt, ...xargs([2, 3, 4], vector(97)) }, 2],
    ["unknown-layers-dropped", { prompt, ...xargs([3, 99, -1]) }, 1],
    ["stream-drops-capture", { prompt, stream: true, ...xargs([4]) }, null],
  ];
  test.each(refused)("passes with %s", async (quirk, body, layers) => {
    const [on, off] = await Promise.all([
      scene("vllm", quirk, ({ quirky }) => quirky(body)),
      scene("vllm", null, ({ quirky }) => quirky(body)),
    ]);
    expect([on.status, shapeOf(on)?.[0] ?? null, off.status]).toEqual([200, layers, 400]);
    expect(on.text).not.toContain('"error"');
  });
});

describe("vllm: a capture", () => {
  test.each([
    ["string-list-all-layers", 6],
    ["missing-activations", null],
    ["off-by-one-layer", 2],
  ] as const)("goes wrong with %s too", async (quirk, layers) => {
    const answer = await scene("vllm", quirk, ({ quirky }) => quirky({ prompt, ...xargs([1, 4]) }));
    expect([answer.status, shapeOf(answer)?.[0] ?? null]).toEqual([200, layers]);
  });

  test("fetched by its handle is truncated where JSON would be", async () => {
    const fetched = (quirk: QuirkName | null) =>
      scene("vllm", quirk, async ({ quirky, url, headers }) => {
        const body = {
          prompt,
          vllm_xargs: { output_residual_stream: "[4]", activations_transport: "binary" },
        };
        const { handle } = (await quirky(body)).body.activations!.residual_stream as unknown as {
          handle: string;
        };
        const answer = await fetch(`${url}/activations/${handle}`, { headers });
        const bytes = Buffer.from(await answer.arrayBuffer());
        expect(answer.headers.get("content-length")).toBe(String(bytes.length));
        return bytes;
      });
    const [cut, whole] = [await fetched("truncated-zstd"), await fetched(null)];
    expect(cut.equals(whole.subarray(0, whole.length >> 1))).toBe(true);
  });
});

test.each(["vllm", "octoai"] as const)(
  "%s: a doubled BOS counts, and shows as a prompt token more",
  async (profile) => {
    const count = async (quirk: QuirkName | null) =>
      (await scene(profile, quirk, ({ quirky }) => quirky({ prompt }))).body.usage!.prompt_tokens;
    expect(await count("doubled-bos")).toBe((await count(null)) + 1);
  },
);

test("vllm: a chat whose template writes the BOS has it twice as well", async () => {
  const ids = (quirk: QuirkName | null) =>
    scene("vllm", quirk, async ({ url, headers }) => {
      const answer = await fetch(`${url}/chat/completions`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify({
          model: "tiny",
          messages: [{ role: "user", content: "Rome is" }],
          max_tokens: 1,
          return_token_ids: true,
        }),
      });
      return ((await answer.json()) as { prompt_token_ids: number[] }).prompt_token_ids;
    });
  const right = await ids(null);
  const [bos] = model.tokenizer.encode("");
  expect(right[0]).toBe(bos);
  expect(await ids("doubled-bos")).toEqual([bos, ...right]);
});

test.each(["vllm", "octoai"] as const)("%s: storms, cuts and errors come there too", async (profile) => {
  const status = (quirk: QuirkName) => scene(profile, quirk, ({ quirky }) => quirky({ prompt }));
  expect((await status("storm-503")).status).toBe(503);
  expect((await status("cut-answer")).body).toEqual({});
  expect((await status("slow-boot")).text).toMatch(/^ {3072}\{/);
  const broken = await status("reset-after-500");
  const error = new ApiError(500, "internal_error", "EngineCore encountered an issue");
  const id = broken.headers.get("x-request-id")!;
  const own = await profiles[profile]();
  expect([broken.status, broken.body]).toEqual([500, own.errorBody(error, id)]);
});

test("a quirk is refused at a profile at which it does not act, with those at which it does", async () => {
  for (const { name, profiles: own } of quirkList) {
    for (const profile of profileNames) {
      const starting = start({ model, profile, quirks: [`${name}=0`] });
      if (own?.includes(profile) === false) {
        await expect(starting).rejects.toThrow(ServerError);
        await expect(starting).rejects.toThrow(`only at ${own.join(", ")}`);
      } else await (await starting).server.close();
    }
  }
});
