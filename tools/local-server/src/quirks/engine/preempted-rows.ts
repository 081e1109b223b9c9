import { defineQuirk, lensProfiles } from "../quirk.ts";
import { changeCapture, moveRows } from "./change-capture.ts";

export const preemptedRows = defineQuirk({
  name: "preempted-rows",
  wrong:
    "a preempted request is run again and its new rows are put after the old ones: the count is right, and the second half of the rows is the first half once more",
  seen: "vllm-lens 1.3.0 on vLLM 0.30.0, seen live: 2 preemptions, rows from 256 on were those from position 0",
  caught: {
    by: "@residua/lens",
    code: "repeated_rows",
    note: "rows that come twice at other tokens; the server counts it too (vllm:num_preemptions_total)",
  },
  profiles: lensProfiles,
  act: () => ({
    generate: (requests, next) =>
      changeCapture(next(requests), (capture) => {
        const half = Math.ceil(capture.positions / 2);
        return moveRows(capture, (position) => position % half);
      }),
  }),
});
