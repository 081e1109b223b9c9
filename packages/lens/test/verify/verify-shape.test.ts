import { describe, expect, it } from "vitest";
import { returnedLayers } from "../../src/verify/returned-layers.ts";
import { verifyShape } from "../../src/verify/verify-shape.ts";

const thrown = (act: () => unknown) => {
  try {
    act();
  } catch (error) {
    return error as Error & { code: string; data: object };
  }
  throw new Error("taken");
};

describe("C1, C2: fewer rows are refused, and what is missing is told", () => {
  const rows = (came: number, tokens: object = {}) =>
    thrown(() =>
      verifyShape([2, came, 8], {
        promptTokens: 100,
        generatedTokens: 5,
        cachedTokens: undefined,
        hiddenSize: 8,
        ...tokens,
      }),
    );

  it("the prefix, where the server says how much it read from its cache", () => {
    const error = rows(40, { cachedTokens: 64 });
    expect(error).toMatchObject({
      code: "row_count",
      data: { expected: 104, received: 40, missing: { from: 0, to: 63 } },
    });
    expect(error.message).toContain(
      "positions 0 to 63: the server read these 64 tokens from its prefix cache",
    );
  });

  it("the prefix, most likely, where whole blocks are missing", () => {
    const error = rows(56);
    expect(error.message).toContain(
      "Most likely positions 0 to 47 are missing: 48 is a whole number of blocks",
    );
    expect(error.data).not.toHaveProperty("missing");
  });

  it("the prompt, or what was generated", () => {
    expect(rows(4).data).toMatchObject({ missing: { from: 0, to: 99 } });
    expect(rows(100).data).toMatchObject({ missing: { from: 100, to: 103 } });
  });

  it("nothing where it cannot be told", () => {
    for (const came of [103, 105, 57]) expect(rows(came).message).toContain("Known causes");
  });
});

describe("C7: which layers an answer holds", () => {
  const asked = [8, 16];

  it("those asked, and no others", () => {
    expect(returnedLayers(2, { asked, all: undefined, gives: "asked" })).toMatchObject({
      layers: asked,
      cut: undefined,
      check: { status: "pass" },
    });
    for (const count of [1, 3, 32]) {
      expect(thrown(() => returnedLayers(count, { asked, all: 32, gives: "asked" }))).toMatchObject({
        code: "layer_count",
        data: { expected: 2, received: count },
      });
    }
  });

  it("says so where the server reads a list as every layer", () => {
    expect(() => returnedLayers(32, { asked, all: 32, gives: "asked" })).toThrow("vllm-lens 1.0 and 1.1");
  });

  it("cuts those asked out of all, where the server is known to give all", () => {
    expect(returnedLayers(32, { asked, all: 32, gives: "all" })).toEqual({
      layers: asked,
      cut: asked,
      check: {
        code: "layer_count",
        status: "pass",
        detail: "the server captured all 32 layers; the 2 asked were cut out",
      },
    });
    expect(returnedLayers(32, { asked, all: undefined, gives: "all" }).check.status).toBe("unverified");
  });

  it("refuses what cannot be all, and takes a server that honours the list after all", () => {
    expect(thrown(() => returnedLayers(31, { asked, all: 32, gives: "all" })).code).toBe("layer_count");
    expect(thrown(() => returnedLayers(10, { asked, all: undefined, gives: "all" })).code).toBe(
      "layer_count",
    );
    expect(returnedLayers(2, { asked, all: 32, gives: "all" })).toMatchObject({
      layers: asked,
      cut: undefined,
    });
  });
});
