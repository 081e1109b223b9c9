import { defineQuirk, lensProfiles } from "../quirk.ts";
import { changeBits, changeFrames } from "./change-tensor.ts";

const nan = 0x7fc0;

export const nanRow = defineQuirk({
  name: "nan-row",
  wrong: "in a capture, the row of the last position is NaN at the first layer",
  seen: "speculators issues 279, 615 and 994: reused buffers and overflow",
  caught: { by: "@residua/lens", code: "non_finite" },
  profiles: lensProfiles,
  act: () => ({
    answer: (response) =>
      changeFrames(response, (frame, shape) =>
        changeBits(frame, shape, (bits) => {
          const [, positions = 0, hidden = 0] = shape;
          bits.fill(nan, (positions - 1) * hidden, positions * hidden);
        }),
      ),
  }),
});
