import type { SteeredLoops } from "../../results/steering-measures.ts";
import { promptMean, promptShare, type PromptFrame } from "../prompt-frame.ts";
import type { LoopScore } from "./loop-score.ts";

/** Means and one share over the generated texts, with intervals over groups of prompts; null without a text. */
export function steeredLoops(
  frame: PromptFrame,
  texts: readonly { loops: LoopScore; looping: boolean }[],
): SteeredLoops | null {
  if (texts.length === 0) return null;
  const of = (name: "distinct1" | "distinct2" | "distinct3" | "compression" | "longestRepeat") =>
    promptMean(
      frame,
      texts.map(({ loops }) => loops[name]),
      "every generated text is too short",
    );
  return {
    distinct1: of("distinct1"),
    distinct2: of("distinct2"),
    distinct3: of("distinct3"),
    compression: of("compression"),
    longestRepeat: of("longestRepeat"),
    looping: promptShare(
      frame,
      texts.map(({ looping }) => (looping ? 1 : 0)),
      "there is no text",
    ),
  };
}
