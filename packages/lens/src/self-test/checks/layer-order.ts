import { judge } from "../findings.ts";
import { largest, relativeError, short } from "../row-numbers.ts";
import type { SelfTestCheck } from "../self-test-check.ts";
import { tolerances } from "../tolerances.ts";

/** S1. */
export const layerOrder: SelfTestCheck = {
  code: "S1",
  title: "layers come as asked, ascending",
  means: {
    pass: "a captured row belongs to the layer that its place says",
    fail: "rows may belong to other layers than asked: do not use captures of several layers",
  },
  decides: ["layers"],
  requests: 2,
  async run({ capture, plain, text, steered, layerCount }) {
    const next = Math.min(steered + 1, layerCount - 1);
    const asked = next > steered ? [next, steered] : [steered];
    const swapped = await capture({ prompt: text, layers: asked });
    const alone = await capture({ prompt: text, layers: [steered] });
    const reference = await plain();
    const honoured = swapped.returned === asked.length && alone.returned === 1;
    const error = (rows: typeof alone, layer: number) =>
      largest(rows.of(layer).map((row, p) => relativeError(row, reference.of(layer)[p] ?? row)));
    const swappedError = largest(asked.map((layer) => error(swapped, layer)));
    const aloneError = error(alone, steered);
    const same = swappedError <= tolerances.sameRow && aloneError <= tolerances.sameRow;
    return [
      judge(
        honoured,
        honoured
          ? "the layers that were named came, and no others"
          : `${asked.length} layers and 1 layer were named, ${swapped.returned} and ${alone.returned} came`,
        { returned: swapped.returned },
        { layers: honoured ? "honoured" : "all" },
      ),
      judge(
        same,
        `named in either order, and alone, their rows differ by at most ${short(Math.max(swappedError, aloneError))} of their length`,
        { swappedError: short(swappedError), aloneError: short(aloneError) },
      ),
    ];
  },
};
