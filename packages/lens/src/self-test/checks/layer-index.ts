import { inconclusive, judge, notApplicable } from "../findings.ts";
import { factorOf, largest, median, relativeError, short, shownError } from "../row-numbers.ts";
import type { Finding, SelfTestCheck } from "../self-test-check.ts";
import type { SelfTestContext } from "../self-test-context.ts";
import type { Rows } from "../self-test-requests.ts";
import { tolerances } from "../tolerances.ts";

/** S15. */
export const layerIndex: SelfTestCheck = {
  code: "S15",
  title: "a layer is the whole stream after its block",
  means: {
    pass: "layers of captures and of steering are the same layers, and rows are the whole residual stream",
    fail: "rows are of other layers than they say, or a part of the stream: directions from here do not fit elsewhere",
  },
  decides: [],
  requests: 0,
  async run(context) {
    const before = await context.plain();
    const after = await context.withVector();
    const [direction = new Float32Array()] = await context.directions();
    return [
      steeredLayer(context, before, after, direction),
      below(context, before, after),
      above(context, before, after, direction),
      firstLayer(context, before),
      distinct(context, before),
    ];
  },
};

/** Change of a layer's rows under steering, over the rows' own length. */
const moved = (before: Rows, after: Rows, layer: number): number =>
  largest(after.of(layer).map((row, p) => relativeError(row, before.of(layer)[p] ?? row)));

const changes = (before: Rows, after: Rows, layer: number): Float32Array[] => {
  const own = before.of(layer);
  return after.of(layer).map((row, p) => row.map((x, i) => x - (own[p]?.[i] ?? 0)));
};

/** Where the vector stands alone: at the layer that was steered. */
function steeredLayer(
  { layers, steered }: SelfTestContext,
  before: Rows,
  after: Rows,
  direction: Float32Array,
): Finding {
  const errors = layers.map((layer) =>
    median(changes(before, after, layer).map((change) => shownError(change, direction))),
  );
  const at = layers.filter((_, i) => (errors[i] ?? 1) <= tolerances.delta);
  return judge(
    at.length === 1 && at[0] === steered,
    `a vector at layer ${steered} stands alone at layer ${at.join(" and ") || "none"}`,
    {
      alone: at,
    },
  );
}

function below({ layers, steered }: SelfTestContext, before: Rows, after: Rows): Finding {
  const lower = layers.filter((layer) => layer < steered);
  if (lower.length === 0) return notApplicable("there is no layer below");
  const most = largest(lower.map((layer) => moved(before, after, layer)));
  return judge(most <= tolerances.sameRow, `layers below moved by ${short(most)}`, { below: short(most) });
}

/**
 * A residual stream keeps what was added to it: the blocks after add to it. The output of one part of a block does not hold a
 * random direction.
 */
function above(
  { layers, steered }: SelfTestContext,
  before: Rows,
  after: Rows,
  direction: Float32Array,
): Finding {
  const upper = layers.filter((layer) => layer > steered && layer <= steered + 2);
  if (upper.length === 0) return notApplicable("there is no layer above");
  const kept = upper.map((layer) =>
    median(changes(before, after, layer).map((change) => factorOf(change, direction))),
  );
  return judge(
    Math.min(...kept) >= tolerances.kept,
    `layers ${upper.join(", ")} still hold ${kept.map(short).join(", ")} × the vector`,
    { kept: kept.map(short) },
  );
}

/** After block 0 a token's row depends on what came before it; an embedding does not. */
function firstLayer({ tokens }: SelfTestContext, plain: Rows): Finding {
  const rows = plain.of(0);
  const pairs = (tokens ?? []).flatMap((token, later) => {
    const first = tokens?.findIndex((other, p) => p > 0 && other === token) ?? -1;
    return first > 0 && first < later ? [[first, later] as const] : [];
  });
  if (pairs.length === 0)
    return inconclusive("token ids are not told, so the first layer was not compared with the embedding");
  const least = Math.min(...pairs.map(([a, b]) => relativeError(rows[b] ?? rows[0]!, rows[a] ?? rows[0]!)));
  return judge(least > 1e-4, `at layer 0 one token in two contexts differs by ${short(least)} or more`, {
    context: short(least),
  });
}

/** A count that is off by one repeats a layer at the end, where there is no other. */
function distinct({ layers }: SelfTestContext, plain: Rows): Finding {
  const same = layers.slice(1).find((layer, i) => {
    const other = plain.of(layers[i] ?? 0);
    return plain.of(layer).every((row, p) => row.every((value, j) => value === other[p]?.[j]));
  });
  return judge(
    same === undefined,
    same === undefined ? "no two layers are equal" : `layer ${same} is the layer before it once more`,
  );
}
