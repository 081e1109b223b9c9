import { judge } from "../findings.ts";
import { dot, norm } from "../../steering/norm.ts";
import { largest, median, short } from "../row-numbers.ts";
import type { SelfTestCheck } from "../self-test-check.ts";
import { tolerances } from "../tolerances.ts";

/** S6. */
export const normMatch: SelfTestCheck = {
  code: "S6",
  title: "norm_match adds scale × the stream's norm",
  means: {
    pass: "with normMatch a scale is a share of the stream's length at each position",
    fail: "with normMatch the scale is a share of something else: scales from elsewhere are not comparable",
  },
  decides: ["normMatch"],
  requests: 2,
  async run({ capture, plain, directions, vector, text, steered, salt }) {
    const [a = new Float32Array(), b = new Float32Array()] = await directions();
    const before = (await plain()).of(steered);
    /** By position, how far along a direction the stream moved, over its own length. */
    const ratios = (rows: Float32Array[], direction: Float32Array) =>
      rows.map((row, p) => {
        const own = before[p] ?? row;
        return (dot(row, direction) - dot(own, direction)) / norm(direction) / norm(own);
      });
    const ask = { prompt: text, layers: [steered] };
    const half = { scale: 0.5, normMatch: true };
    const one = await capture({ ...ask, steering: [await vector(0, half)], cacheSalt: salt() });
    const both = await capture({
      ...ask,
      steering: [await vector(0, half), await vector(1, half)],
      cacheSalt: salt(),
    });
    const single = ratios(one.of(steered), a);
    const worst = largest(single.map((ratio) => Math.abs(ratio / 0.5 - 1)));
    const second = median(ratios(both.of(steered), b));
    // The first vector makes the stream longer by √(1 + 0.5²).
    const reference = second < 0.5 * 1.06 ? "before any steering" : "after the vectors before";
    const right = worst <= tolerances.ratio;
    return [
      judge(
        right,
        `scale 0.5 moved the stream by ${short(median(single))} of its norm (at worst ${short(worst)} of that off); of a second vector by ${short(second)}, so its norm is that ${reference}`,
        { ratio: short(median(single)), worstError: short(worst), secondRatio: short(second) },
        { normMatch: right ? "stream" : "other" },
      ),
    ];
  },
};
