import { defineQuirk, lensProfiles } from "../quirk.ts";
import { changeCapture } from "./change-capture.ts";

export const offByOneLayer = defineQuirk({
  name: "off-by-one-layer",
  wrong: "each captured layer is really the one after it (the last one is right)",
  seen: "IBM vLLM-Hook (commits abb7636, bcb3ab5): layers counted from 1 here and from 0 there",
  caught: {
    by: "@residua/lens",
    code: "steering_layers_below",
    note: "of a steered capture with verify: true; of another one only a self-test sees it: neighbouring layers are nearly parallel",
  },
  profiles: lensProfiles,
  act: () => ({
    generate: (requests, next, { model }) => {
      const shifted = (layer: number) => Math.min(layer + 1, model.config.layers - 1);
      const asked = requests.map(({ capture }) => capture?.toSorted((a, b) => a - b) ?? []);
      const moved = requests.map((request, p) =>
        request.capture ? { ...request, capture: [...new Set(asked[p]!.map(shifted))] } : request,
      );
      return changeCapture(next(moved), (capture, p) => ({
        ...capture,
        layers: asked[p]!,
        values: asked[p]!.map((layer) => capture.values[capture.layers.indexOf(shifted(layer))]!),
      }));
    },
  }),
});
