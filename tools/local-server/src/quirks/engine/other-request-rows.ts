import type { Capture } from "@residua/engine";
import { defineQuirk, lensProfiles } from "../quirk.ts";
import { changeCapture } from "./change-capture.ts";

export const otherRequestRows = defineQuirk({
  name: "other-request-rows",
  wrong:
    "the rows are those of the capture that the server made before, at the layers that both have; every count is right. The first capture is right",
  seen: "ProjectDMX DMI issue 67: under continuous batching about 60 % of the requests got the rows of another one",
  caught: {
    by: "@residua/lens",
    code: "other_request_rows",
    note: "where this lens made the other capture as well; else compare a prompt alone and among others",
  },
  profiles: lensProfiles,
  act: () => {
    let before: Capture | null = null;
    return {
      everyRequest: true,
      generate: (requests, next, { chosen }) =>
        changeCapture(next(requests), (capture) => {
          const other = before;
          before = capture;
          if (!chosen || other === null) return capture;
          const { hiddenSize, positions } = capture;
          const values = capture.values.map((own, i) => {
            const rows = other.values[other.layers.indexOf(capture.layers[i]!)];
            if (rows === undefined) return own;
            const taken = new Float32Array(positions * hiddenSize);
            for (let at = 0; at < taken.length; at += rows.length)
              taken.set(rows.subarray(0, Math.min(rows.length, taken.length - at)), at);
            return taken;
          });
          return { ...capture, values };
        }),
    };
  },
});
