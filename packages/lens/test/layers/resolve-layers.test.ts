import { InvalidRequestError, type ModelDescription } from "@residua/client";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { depth, layerRange } from "../../src/layers/layer-choice.ts";
import { resolveLayers } from "../../src/layers/resolve-layers.ts";

const model = (value: number | undefined): Pick<ModelDescription, "id" | "layers"> => ({
  id: "m",
  layers: { value, source: value === undefined ? "unknown" : "catalogue" },
});
const refuse = { repeated: "refuse" } as const;
const merge = { repeated: "merge" } as const;

describe("layerRange", () => {
  it("has both ends, and stops before a last one that the steps do not meet", () => {
    expect(layerRange(4, 20, 2)).toEqual([4, 6, 8, 10, 12, 14, 16, 18, 20]);
    expect(layerRange(4, 19, 5)).toEqual([4, 9, 14, 19]);
    expect(layerRange(4, 18, 5)).toEqual([4, 9, 14]);
    expect(layerRange(7, 7)).toEqual([7]);
  });

  it.each([
    [-1, 3, 1],
    [3, 2, 1],
    [0, 3, 0],
    [0.5, 3, 1],
    [0, Infinity, 1],
    [0, 10_000, 1],
  ])("refuses %d to %d by %d", (first, last, step) => {
    expect(() => layerRange(first, last, step)).toThrow(`layerRange(${first}, ${last}, ${step}): allowed:`);
  });
});

describe("depth", () => {
  it.each([
    [0, 32, 0],
    [0.5, 32, 16],
    [0.5, 31, 15],
    [0.49, 32, 15],
    [1, 32, 31],
    [0.7, 1, 0],
  ])("%d of %d layers is layer %d", (fraction, count, layer) => {
    expect(resolveLayers(depth(fraction), model(count), refuse)).toEqual([layer]);
    expect(resolveLayers([{ depth: fraction }], model(count), refuse)).toEqual([layer]);
  });

  it("is refused outside 0 to 1, and where the number of layers is not known", () => {
    for (const fraction of [-0.1, 1.01, NaN, "0.5" as unknown as number, null as unknown as number])
      expect(() => depth(fraction)).toThrow("allowed: a fraction from 0");
    expect(() => resolveLayers([1, depth(0.5)], model(undefined), merge)).toThrow(
      'State it: createClient({ models: { "m": { layers: 32 } } })',
    );
  });
});

describe("resolveLayers", () => {
  it("takes mixed lists, sorts, and counts a fraction that falls on a named layer once", () => {
    const mixed = [9, depth(0.5), layerRange(4, 6), depth(0.51), depth(1), [[0]]];
    for (const profile of [refuse, merge])
      expect(resolveLayers(mixed, model(10), profile)).toEqual([0, 4, 5, 6, 9]);
  });

  it("takes every layer, where their number is known", () => {
    expect(resolveLayers("all", model(3), refuse)).toEqual([0, 1, 2]);
    expect(resolveLayers("all", model(undefined), refuse)).toBeUndefined();
  });

  it("C7: a layer named twice is refused or merged as the profile says", () => {
    const twice = [3, layerRange(2, 4)];
    expect(() => resolveLayers(twice, model(undefined), refuse)).toThrow("layer 3 twice");
    expect(resolveLayers(twice, model(undefined), merge)).toEqual([2, 3, 4]);
  });

  it("S5: a layer that the model does not have is refused by name", () => {
    expect(() => resolveLayers([0, layerRange(3, 5)], model(5), merge)).toThrow(InvalidRequestError);
    expect(() => resolveLayers([0, layerRange(3, 5)], model(5), merge)).toThrow(
      "m has 5 layers, from the catalogue",
    );
  });

  it("gives what was named, ascending, and depths in their order (property)", () => {
    const layers = fc.uniqueArray(fc.nat(199), { minLength: 1 });
    fc.assert(
      fc.property(layers, fc.array(fc.double({ min: 0, max: 1, noNaN: true })), (named, fractions) => {
        const found = resolveLayers([...named, ...fractions.map(depth)], model(200), refuse)!;
        expect(found).toEqual([...new Set(found)].sort((a, b) => a - b));
        for (const layer of named) expect(found).toContain(layer);
        for (const fraction of fractions) {
          // The nearest of all layers.
          const near = found.filter((layer) => Math.abs(layer - fraction * 199) <= 0.5);
          expect(near.length).toBeGreaterThan(0);
        }
        expect(found.length).toBeLessThanOrEqual(named.length + fractions.length);
      }),
    );
  });
});
