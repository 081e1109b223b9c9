import { defineQuirk, lensProfiles } from "../quirk.ts";
import { withoutLens } from "../engine/without-lens.ts";

export const firstPromptOnly = defineQuirk({
  name: "first-prompt-only",
  wrong: "of several prompts, only the first is captured and steered; the others run plain, under a 200",
  seen: "vllm-lens 1.3.0 on vLLM 0.30.0, seen live; all versions read",
  caught: {
    by: "@residua/client",
    code: "invalid_request",
    note: "refused before it is sent; lens takes one prompt",
  },
  profiles: lensProfiles,
  act: () => ({
    generate: (requests, next) =>
      next(requests.map((request, p) => (p === 0 ? request : withoutLens(request)))),
  }),
});
