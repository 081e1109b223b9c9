import { z } from "zod";
import { checkOptions } from "../../options/check-options.ts";
import { checkTrainedProbe } from "../trained/check-trained-probe.ts";
import type { TrainedProbe } from "../trained/trained-probe.ts";
import {
  scoreCapture,
  type CaptureScores,
  type ScoreCaptureOptions,
  type ScoredCapture,
} from "./score-capture.ts";

/** The scores of one capture among many. */
export interface IndexedScores<C extends ScoredCapture> extends CaptureScores {
  /** Place among the captures, from 0. */
  index: number;
  capture: C;
}

/**
 * Scores captures one by one as they come: rollouts of a running model, say. None is kept. Options may differ from capture to capture:
 * give a function. Throws as `scoreCapture` does, at the capture that does not fit.
 */
export async function* scoreCaptures<C extends ScoredCapture>(
  probe: TrainedProbe,
  captures: Iterable<C> | AsyncIterable<C>,
  options: ScoreCaptureOptions | ((capture: C, index: number) => ScoreCaptureOptions) = {},
): AsyncGenerator<IndexedScores<C>> {
  checkTrainedProbe(probe, "scoreCaptures");
  checkOptions(
    z.custom<object>(
      (value) => Symbol.iterator in Object(value) || Symbol.asyncIterator in Object(value),
      "captures, as a list or as they come",
    ),
    captures,
    "scoreCaptures",
    "captures",
  );
  let index = 0;
  for await (const capture of captures) {
    const own = typeof options === "function" ? options(capture, index) : options;
    yield { index, capture, ...scoreCapture(probe, capture, own) };
    index++;
  }
}
