import { checkOptionArguments } from "../arguments/check-arguments.ts";
import { fields, whole } from "../arguments/kinds.ts";
import {
  isPooled,
  readSelection,
  type RowSelection,
  type Selection,
  type TokenArea,
} from "../select/selection.ts";
import { stretchPositions } from "../select/token-stretch.ts";
import type { Bounds } from "./bounds.ts";

const boundsKind = fields({ least: whole(0), most: whole(0) }, { loose: true });
const sizeKind = fields({ prompt: boundsKind, maxTokens: whole(1) });

/** How many rows a selection takes of a capture with so many tokens; of a span no more is known than that it has one. */
export function selectedRows(
  selection: Selection,
  size: { readonly prompt: Bounds; readonly maxTokens: number },
): Bounds {
  readSelection(selection);
  checkOptionArguments("selectedRows", { size: [size, sizeKind] });
  const { prompt, maxTokens } = size;
  if (isPooled(selection)) return { least: 1, most: 1 };
  const all = areaRows(areaOf(selection), prompt, maxTokens);
  if (selection.kind === "every") return all;
  if (selection.kind !== "span") {
    return { least: Math.min(selection.count, all.least), most: Math.min(selection.count, all.most) };
  }
  const { target } = selection;
  if (!("tokens" in target)) return { least: Math.min(1, all.most), most: all.most };
  const count = stretchPositions(target.tokens).length;
  return { least: count, most: count };
}

function areaOf(selection: RowSelection): TokenArea {
  return selection.kind === "first" ? "all" : selection.area;
}

/** One generated token at least, of which none has a row. */
function areaRows(area: TokenArea, prompt: Bounds, maxTokens: number): Bounds {
  const generated = { least: 0, most: maxTokens - 1 };
  if (area === "generated") return generated;
  return area === "prompt" ? prompt : { least: prompt.least, most: prompt.most + generated.most };
}
