import { defineQuirk, lensProfiles } from "../quirk.ts";

export const stringListAllLayers = defineQuirk({
  name: "string-list-all-layers",
  wrong: "the list of layers is not read: whatever it names, every layer is captured",
  seen: 'vllm-lens 1.1.0 and before, where the list came as a string ("[15]" gave all 32 layers)',
  caught: { by: "@residua/lens", code: "layer_count" },
  profiles: lensProfiles,
  act: () => ({
    generate: (requests, next, { model }) => {
      const capture = Array.from({ length: model.config.layers }, (_, layer) => layer);
      return next(requests.map((request) => (request.capture ? { ...request, capture } : request)));
    },
  }),
});
