import { bosTexts } from "../tokens/double-bos.ts";
import type { CaptureTokens } from "./capture-text.ts";
import { findSpan, type FoundSpan } from "./find-spans.ts";
import { SelectionError } from "./selection-error.ts";
import { isPooled, type RowSelection, type Selection, type TokenArea } from "./selection.ts";

/** The positions that a selection takes of a capture, ascending; of a pooled one those that are pooled. Throws SelectionError. */
export function selectPositions(capture: CaptureTokens, selection: Selection): FoundSpan {
  const found = rowsOf(capture, isPooled(selection) ? selection.over : selection);
  const leaveOut = isPooled(selection) && selection.bos === "out";
  const bosOut = leaveOut && found.positions[0] === 0 && isBos(capture);
  const positions = bosOut ? found.positions.slice(1) : found.positions;
  if (positions.length > 0) return { ...found, positions };
  throw new SelectionError(
    "empty_selection",
    bosOut
      ? 'only the BOS is selected, which pooling leaves out; bos: "in" takes it'
      : "no captured token is selected (of the generated ones the last is never captured)",
    { selection },
  );
}

function rowsOf(capture: CaptureTokens, selection: RowSelection): FoundSpan {
  if (selection.kind === "span") return findSpan(capture, selection);
  if (selection.kind === "first") return plain(positionsOf(capture, "all").slice(0, selection.count));
  const positions = positionsOf(capture, selection.area);
  return plain(selection.kind === "every" ? positions : positions.slice(-selection.count));
}

function plain(positions: number[]): FoundSpan {
  return { positions, matches: [] };
}

function positionsOf({ tokens, positions }: CaptureTokens, area: TokenArea): number[] {
  const all = Array.from({ length: positions }, (_, position) => position);
  return area === "all" ? all : all.filter((position) => tokens[position]?.role === area);
}

/** Whether position 0 is the BOS. Throws `bos_unknown` where that cannot be told. */
function isBos({ tokens, bosTokenId, model }: CaptureTokens): boolean {
  const { id = null, text = null } = tokens[0] ?? {};
  if (text !== null && bosTexts.has(text)) return true;
  if (id !== null && bosTokenId !== null) return id === bosTokenId;
  // Some text of the prompt. A special token that is spelt out may be a BOS.
  if (text !== null && text !== "" && !/^[<[].*[>\]]$/s.test(text)) return false;
  throw new SelectionError(
    "bos_unknown",
    `whether token 0 is a BOS, which pooling leaves out, cannot be told. State it: createClient({ models: { ${JSON.stringify(model)}: { bosTokenId: 1 } } }), or take position 0 whatever it is: bos: "in"`,
  );
}
