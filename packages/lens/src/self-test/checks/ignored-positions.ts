import type { WireSteeringVector } from "@residua/client";
import { judge } from "../findings.ts";
import { factorOf } from "../row-numbers.ts";
import type { SelfTestCheck } from "../self-test-check.ts";
import { decodeRows } from "../self-test-requests.ts";
import { tolerances } from "../tolerances.ts";

/** S8. */
export const ignoredPositions: SelfTestCheck = {
  code: "S8",
  title: "positions beside a vector for all positions",
  means: {
    pass: "positions are never ignored",
    fail: "positions beside rows without a position axis are ignored; lens never sends them so",
  },
  decides: [],
  requests: 1,
  usesCaptures: true,
  async run({ wrong, plain, directions, vector, text, steered, core, salt }) {
    const [direction = new Float32Array()] = await directions();
    const before = (await plain()).of(steered);
    const steering: WireSteeringVector = { ...(await vector(0)), position_indices: [1] };
    const { body, refused } = await wrong({
      prompt: text,
      layers: [steered],
      steering: [steering],
      cacheSalt: salt(),
    });
    if (refused) return [judge(true, `refused with ${refused.status}`)];
    const rows = await decodeRows(body, core.profile, steered);
    const changed = rows.flatMap((row, p) =>
      factorOf(
        row.map((x, i) => x - (before[p]?.[i] ?? 0)),
        direction,
      ) >= tolerances.holds
        ? [p]
        : [],
    );
    const honoured = changed.length === 1 && changed[0] === 1;
    return [
      judge(honoured, `asked at 1 of ${rows.length} positions: added at ${changed.length} of them`, {
        changed: changed.length,
      }),
    ];
  },
};
