import { defineQuirk, lensProfiles } from "../quirk.ts";

export const steeringDropped = defineQuirk({
  name: "steering-dropped",
  wrong: "steering vectors are taken and not used, under a 200; captures come, and show the plain stream",
  seen: "vllm-lens issues 28 and 29; a wrong-width vector of a concurrent request (vllm-lens 1.3.0, seen live)",
  caught: { by: "@residua/lens", code: "steering_dropped", note: "with verify: true" },
  profiles: lensProfiles,
  act: () => ({
    generate: (requests, next) => next(requests.map(({ steering: _steering, ...request }) => request)),
  }),
});
