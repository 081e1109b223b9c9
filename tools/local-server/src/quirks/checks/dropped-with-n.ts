import { defineQuirk, lensProfiles } from "../quirk.ts";
import { withoutLens } from "../engine/without-lens.ts";

export const droppedWithN = defineQuirk({
  name: "dropped-with-n",
  wrong: "with n above 1, capture and steering do nothing: a 200 without activations, its texts unsteered",
  seen: "vllm-lens 1.3.0 on vLLM 0.30.0, seen live; all versions read",
  caught: {
    by: "@residua/client",
    code: "invalid_request",
    note: "refused before it is sent; lens takes no n",
  },
  profiles: lensProfiles,
  act: () => ({
    generate: (requests, next) =>
      next(requests.map((request) => ((request.n ?? 1) > 1 ? withoutLens(request) : request))),
  }),
});
