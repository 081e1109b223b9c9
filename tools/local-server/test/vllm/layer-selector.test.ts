import fc from "fast-check";
import { expect, test } from "vitest";
import { noQuirks } from "../../src/quirks/active-quirks.ts";
import { readLayers } from "../../src/vllm/layer-selector.ts";

const layers = 30;
const list = fc.array(fc.integer({ min: 0, max: layers - 1 }));

test("any list of layers, as text or not, is each of them once, ascending", () => {
  fc.assert(
    fc.property(list, (asked) => {
      const expected = Array.from({ length: layers }, (_, layer) => layer).filter((layer) =>
        asked.includes(layer),
      );
      expect(readLayers(asked, layers, noQuirks)).toEqual(expected);
      expect(readLayers(JSON.stringify(asked), layers, noQuirks)).toEqual(expected);
    }),
  );
  expect(readLayers(" [ 3 , 4.0 ] ", layers, noQuirks)).toEqual([3, 4]);
});

test("the word all is every layer, as recorded of vllm-lens", () => {
  expect(readLayers("all", layers, noQuirks)).toEqual(Array.from({ length: layers }, (_, layer) => layer));
});

test("anything else is refused, never read as all or none", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const isList =
        Array.isArray(value) &&
        value.every(
          (entry) => Number.isInteger(entry) && (entry as number) >= 0 && (entry as number) < layers,
        );
      fc.pre(!isList);
      expect(() => readLayers(JSON.stringify(value), layers, noQuirks)).toThrow(/^output_residual_stream: /);
    }),
  );
  for (const text of ["", "ALL", " all", "every", '"all"', "true", "null", "15", "[1,", "NaN", "[1] 2"])
    expect(() => readLayers(text, layers, noQuirks)).toThrow(
      /^output_residual_stream: give a list of layers/,
    );
  expect(() => readLayers([30], layers, noQuirks)).toThrow(
    "layer 30 is out of range; layers run from 0 to 29",
  );
});
