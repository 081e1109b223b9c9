import { judge } from "../findings.ts";
import { factorOf, largest, short } from "../row-numbers.ts";
import type { SelfTestCheck } from "../self-test-check.ts";
import { tolerances } from "../tolerances.ts";

const scale = 3;

/** S18. Each request has a direction of its own, which its rows must hold, and no other. */
export const concurrency: SelfTestCheck = {
  code: "S18",
  title: "requests at one time do not mix",
  means: {
    pass: "captures and steering at one time stay apart",
    fail: "a capture may hold the rows, or the steering, of another request: send one at a time",
  },
  decides: [],
  requests: 6,
  async run({ capture, directions, vector, freshText, steered, salt }) {
    const all = (await directions()).slice(0, 4);
    const own = [0, 1, 2, 3, undefined, undefined];
    const captures = await Promise.all(
      own.map(async (which) => {
        const steering = which === undefined ? [] : [await vector(which, { scale })];
        return capture({ prompt: freshText(), layers: [steered], steering, maxTokens: 3, cacheSalt: salt() });
      }),
    );
    const shares = captures.map((rows) =>
      rows.of(steered).map((row) => all.map((direction) => factorOf(row, direction) / scale)),
    );
    const ownShares = shares.flatMap((rows, i) => rows.map((row) => row[own[i] ?? -1] ?? 1));
    const others = shares.flatMap((rows, i) =>
      rows.flatMap((row) => row.filter((_, which) => which !== own[i])),
    );
    const least = Math.min(...ownShares);
    const most = largest(others.map(Math.abs));
    return [
      judge(
        least >= tolerances.holds && most < tolerances.holds,
        `of ${captures.length} requests at once each row holds ${short(least)} or more of its own vector, and at most ${short(most)} of another's`,
        { ownLeast: short(least), otherMost: short(most) },
      ),
    ];
  },
};
