import { defineQuirk, lensProfiles } from "../quirk.ts";

export const streamDropsCapture = defineQuirk({
  name: "stream-drops-capture",
  wrong: "a completion that is streamed never brings the capture that it was asked for; steering acts",
  seen: "vllm-lens 1.3.0 on vLLM 0.30.0, seen live; all versions read",
  caught: { by: "@residua/client", code: "invalid_request", note: "refused before it is sent" },
  profiles: lensProfiles,
});
