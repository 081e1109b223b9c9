import type { WireSteeringVector } from "@residua/client";
import { judge } from "../findings.ts";
import { largest, short, shownError } from "../row-numbers.ts";
import type { SelfTestCheck } from "../self-test-check.ts";
import { tolerances } from "../tolerances.ts";

/** S5. */
export const linearity: SelfTestCheck = {
  code: "S5",
  title: "steering is linear in scale and in vectors",
  means: {
    pass: "several vectors at one layer add up, and a scale multiplies",
    fail: "sums and scales of vectors do something else: steer with one vector at scale 1",
  },
  decides: [],
  requests: 3,
  async run({ capture, plain, directions, vector, text, steered, salt }) {
    const [a = new Float32Array(), b = new Float32Array()] = await directions();
    const before = (await plain()).of(steered);
    const error = async (steering: WireSteeringVector[], expected: Float32Array) => {
      const rows = await capture({ prompt: text, layers: [steered], steering, cacheSalt: salt() });
      const changes = rows.of(steered).map((row, p) => row.map((x, i) => x - (before[p]?.[i] ?? 0)));
      return short(largest(changes.map((change) => shownError(change, expected))));
    };
    const sum = await error(
      [await vector(0), await vector(1)],
      a.map((x, i) => x + (b[i] ?? 0)),
    );
    const twice = await error(
      [await vector(0, { scale: 2 })],
      a.map((x) => 2 * x),
    );
    const minus = await error(
      [await vector(0, { scale: -1 })],
      a.map((x) => -x),
    );
    const worst = Math.max(sum, twice, minus);
    return [
      judge(
        worst <= tolerances.delta,
        `two vectors, scale 2 and scale -1 are at worst ${sum}, ${twice} and ${minus} of the expected change off`,
        { sumError: sum, doubleError: twice, negativeError: minus },
      ),
    ];
  },
};
