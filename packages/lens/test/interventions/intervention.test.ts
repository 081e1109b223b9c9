import { describe, expect, test } from "vitest";
import { direction, intervention, type InterventionOptions } from "../../src/index.ts";

describe("intervention", () => {
  test("is frozen data, with a copy of the direction", () => {
    const given = new Float32Array([1, -2]);
    const ablate = intervention({ kind: "ablate", direction: given, layers: [3, 1], positions: [4, 0] });
    given[0] = 9;
    expect(ablate).toEqual({
      kind: "ablate",
      direction: new Float32Array([1, -2]),
      layers: [1, 3],
      positions: [0, 4],
    });
    expect(Object.isFrozen(ablate) && Object.isFrozen(ablate.layers)).toBe(true);
    const clamp = intervention({ kind: "clamp", value: -1.5, direction: [0, 1], layers: [0] });
    expect(clamp).toMatchObject({ kind: "clamp", value: -1.5, positions: null });
  });

  test("takes a direction's own layer, unless layers are given", () => {
    const found = direction({ layer: 7, vector: [1, 2], method: "m" });
    expect(intervention({ kind: "ablate", direction: found }).layers).toEqual([7]);
    expect(intervention({ kind: "ablate", direction: found, layers: [1, 2] }).layers).toEqual([1, 2]);
  });

  test.each<[string, object]>([
    ["steering_zero_vector", { kind: "ablate", direction: [0, 0], layers: [1] }],
    ["steering_not_finite", { kind: "ablate", direction: [1, NaN], layers: [1] }],
    ["steering_rank", { kind: "ablate", direction: "x", layers: [1] }],
    ["steering_layer", { kind: "ablate", direction: [1] }],
    ["steering_layer", { kind: "ablate", direction: [1], layers: [] }],
    ["steering_layer", { kind: "ablate", direction: [1], layers: [-1] }],
    ["steering_layer", { kind: "ablate", direction: [1], layers: [2, 2] }],
    ["steering_layer", { kind: "ablate", direction: [1], layers: 3 }],
    ["steering_positions", { kind: "ablate", direction: [1], layers: [1], positions: [] }],
    ["steering_positions", { kind: "ablate", direction: [1], layers: [1], positions: [0.5] }],
    ["steering_scale", { kind: "clamp", direction: [1], layers: [1] }],
    ["steering_scale", { kind: "clamp", direction: [1], layers: [1], value: Infinity }],
    ["invalid_request", { kind: "ablate", direction: [1], layers: [1], value: 2 }],
    ["invalid_request", { kind: "remove", direction: [1], layers: [1] }],
    ["invalid_request", { kind: "ablate", direction: [1], layers: [1], scale: 2 }],
    ["invalid_request", {}],
  ])("%s: %j", (code, options) => {
    expect(() => intervention(options as InterventionOptions)).toThrow(
      expect.objectContaining({ code }) as Error,
    );
  });
});
