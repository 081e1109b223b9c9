import type { ModelDescription } from "@residua/client";
import { describe, expect, it } from "vitest";
import type { LensProfile } from "../../src/profiles/lens-profile.ts";
import { acsProfile } from "../../src/profiles/acs-profile.ts";
import { vllmProfile } from "../../src/profiles/vllm-profile.ts";
import { makeBehaviours, type ServerBehaviour } from "../../src/self-test/server-behaviour.ts";
import { prepareSteering } from "../../src/steering/prepare-steering.ts";
import { steeringVector, type SteeringVectorOptions } from "../../src/steering/steering-vector.ts";

const model = {
  id: "m",
  hiddenSize: { value: 4, source: "catalogue" },
  layers: { value: 5, source: "catalogue" },
} as unknown as ModelDescription;
const row = { rows: { 3: [1, 2, 3, 4] } };

interface Asked {
  profile?: LensProfile;
  found?: ServerBehaviour;
  fields?: object;
  tokens?: { least: number; most: number };
  maxTokens?: number;
}

function prepared(vectors: SteeringVectorOptions[] | undefined, asked: Asked = {}) {
  const {
    profile = vllmProfile,
    found = {},
    fields = {},
    tokens = { least: 6, most: 6 },
    maxTokens = 4,
  } = asked;
  const behaviours = makeBehaviours();
  behaviours.learn("m", found);
  return prepareSteering({ profile, behaviours }, vectors?.map(steeringVector), {
    model,
    tokens,
    maxTokens,
    fields,
  });
}
const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => "taken",
    (error: { code?: string }) => error.code,
  );

describe("prepareSteering", () => {
  it("S12, C15: gives each steered request a salt of its own, and comparisons a fresh run", async () => {
    const salts = await Promise.all([1, 2].map(async () => (await prepared([row])).fields.cacheSalt));
    expect(salts[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(salts[1]).not.toBe(salts[0]);
    expect((await prepared([])).fields).toEqual({ skipCache: true });
    expect((await prepared(undefined)).fields).toEqual({});
    expect((await prepared([row], { fields: { cache_salt: "mine" } })).fields).not.toHaveProperty(
      "cacheSalt",
    );
  });

  it("says where a vector is longer than one description of the API allows, and refuses none", async () => {
    const profile = { ...acsProfile, limits: { ...acsProfile.limits, steeringBase64: 20 } };
    const thirds = { rows: { 3: [1 / 3, 2 / 3, 4 / 3, 5 / 3] } };
    const { fields, checks } = await prepared([row, thirds], { profile });
    expect(fields.steering?.map(({ activations: { dtype } }) => dtype)).toEqual(["int16", "float32"]);
    expect(checks).toEqual([
      {
        code: "steering_length",
        status: "unverified",
        detail:
          "steering vector 1 is 24 characters of base64, over the 20 that one description of the API allows; left to the server",
      },
    ]);
    expect((await prepared([thirds], { profile: acsProfile })).checks).toEqual([]);
  });

  it("holds the limits of the profile, with the sum and what would fit", async () => {
    const limited = (more: object) => ({
      profile: { ...acsProfile, limits: { ...acsProfile.limits, ...more } },
    });
    expect(await codeOf(prepared([row, row], limited({ steeringVectors: 1 })))).toBe("steering_too_many");
    const rows = { 1: [1, 2, 3, 4], 2: [1, 2, 3, 4], 3: [1, 2, 3, 4] };
    await expect(prepared([{ rows, positions: [1, 2] }], limited({ steeringNumbers: 20 }))).rejects.toThrow(
      "3 layers × 2 positions × 4 = 24 numbers, over the 20 that steering vectors may hold in all; would fit: 2 of 3 layers, or 1 of 2 positions",
    );
  });

  it.each([
    [{ rows: { 1: [1, 2, 3, 4] }, positions: [1, 2, 3] }, 8, "would fit: 2 of 3 positions"],
    [{ rows: { 1: [1, 2, 3, 4], 2: [1, 2, 3, 4], 3: [1, 2, 3, 4] } }, 8, "would fit: 2 of 3 layers"],
    [
      { rows: { 1: [1, 2, 3, 4], 2: [1, 2, 3, 4] }, positions: [1, 2] },
      4,
      "would fit: 1 rows (layers × positions)",
    ],
    [{ rows: { 1: [1, 2, 3, 4] } }, 3, "would fit: no row of 4 numbers"],
  ])("%j over %i numbers: %s", async (vector, steeringNumbers, says) => {
    const profile = { ...acsProfile, limits: { ...acsProfile.limits, steeringNumbers } };
    const asked = prepared([vector], { profile });
    await expect(asked).rejects.toThrow(says);
    await expect(asked).rejects.not.toThrow(/\b0 of/);
  });
});

describe("C11: positions that a server counts from the start of each pass", () => {
  const at = (...positions: number[]) => [{ ...row, positions }];
  const perPass: Asked = { found: { positions: "per pass" } };
  const status = async (vectors: SteeringVectorOptions[], asked: Asked) =>
    (await prepared(vectors, asked)).checks.map(({ code, status }) => `${code} ${status}`);

  it("are refused where they would certainly go elsewhere", async () => {
    expect(await codeOf(prepared(at(0), perPass))).toBe("steering_positions");
    expect(await codeOf(prepared(at(6), perPass))).toBe("steering_positions");
    await expect(prepared(at(0, 2), perPass)).rejects.toThrow(
      "each generated token would be steered too; allowed: max_tokens 1",
    );
  });

  it("are sent, and said not to be proven, where they may be right", async () => {
    const unverified = ["steering_positions unverified"];
    expect(await status(at(0), { ...perPass, maxTokens: 1 })).toEqual(unverified);
    expect(await status(at(1, 5), perPass)).toEqual(unverified);
    expect(await status(at(5), { ...perPass, tokens: { least: 1, most: 9 } })).toEqual(unverified);
    expect(await status(at(0), {})).toEqual(unverified);
  });

  it("are right at a server that counts from the first token, and no matter without positions", async () => {
    expect(await status(at(0, 6), { found: { positions: "absolute" } })).toEqual(["steering_positions pass"]);
    expect(await status([row], perPass)).toEqual([]);
    // A text that cannot be counted: whether a position is run is not known.
    const text: Asked = { found: { positions: "absolute" }, tokens: { least: 1, most: 9 }, maxTokens: 4 };
    expect(await status(at(3), text)).toEqual(["steering_positions pass"]);
    expect(await status(at(4), text)).toEqual(["steering_positions unverified"]);
  });
});
