import type { Quirk } from "./quirk.ts";
import { errorUnder200 } from "./answers/error-under-200.ts";
import { brokenAnswer, cutAnswer, stall } from "./answers/half-answers.ts";
import { nanRow } from "./answers/nan-row.ts";
import { resetAfter500 } from "./answers/reset-after-500.ts";
import { failedBoot, slowBoot } from "./answers/slow-boot.ts";
import { storm429, storm429Bare, storm502, storm502Html, storm503, storm503Bare } from "./answers/storms.ts";
import { streamError, streamWithoutDone } from "./answers/stream-endings.ts";
import { truncatedZstd } from "./answers/truncated-zstd.ts";
import { chatStreamCutsCapture } from "./checks/chat-stream-cuts-capture.ts";
import { doubledBos } from "./checks/doubled-bos.ts";
import { droppedWithN } from "./checks/dropped-with-n.ts";
import { firstPromptOnly } from "./checks/first-prompt-only.ts";
import { oddSelectorAllLayers } from "./checks/odd-selector-all-layers.ts";
import { streamDropsCapture } from "./checks/stream-drops-capture.ts";
import { unknownLayersDropped } from "./checks/unknown-layers-dropped.ts";
import { wrongWidthAccepted } from "./checks/wrong-width-accepted.ts";
import { chunkRelativePositions } from "./engine/chunk-relative-positions.ts";
import { halfResidual } from "./engine/half-residual.ts";
import { normMatchOfDelta } from "./engine/norm-match-of-delta.ts";
import { prefixCacheContamination } from "./engine/prefix-cache-contamination.ts";
import { prefixCacheGap } from "./engine/prefix-cache-gap.ts";
import { missingActivations } from "./engine/missing-activations.ts";
import { nanPoisoning } from "./engine/nan-poisoning.ts";
import { offByOneLayer } from "./engine/off-by-one-layer.ts";
import { otherRequestRows } from "./engine/other-request-rows.ts";
import { preemptedRows } from "./engine/preempted-rows.ts";
import { prefillOnlySteering } from "./engine/prefill-only-steering.ts";
import { steeringDropped } from "./engine/steering-dropped.ts";
import { stringListAllLayers } from "./engine/string-list-all-layers.ts";

/** All of them, in the order in which several act: the first is nearest to the engine, and to the routes. */
const all = [
  // Of what is asked.
  stringListAllLayers,
  oddSelectorAllLayers,
  unknownLayersDropped,
  wrongWidthAccepted,
  droppedWithN,
  firstPromptOnly,
  streamDropsCapture,
  chatStreamCutsCapture,
  doubledBos,
  // Of what is run.
  chunkRelativePositions,
  prefillOnlySteering,
  steeringDropped,
  missingActivations,
  halfResidual,
  normMatchOfDelta,
  prefixCacheGap,
  prefixCacheContamination,
  offByOneLayer,
  preemptedRows,
  otherRequestRows,
  nanPoisoning,
  // Of what is answered.
  nanRow,
  truncatedZstd,
  cutAnswer,
  brokenAnswer,
  stall,
  slowBoot,
  streamWithoutDone,
  streamError,
  failedBoot,
  errorUnder200,
  resetAfter500,
  storm429,
  storm429Bare,
  storm502,
  storm502Html,
  storm503,
  storm503Bare,
];

export type QuirkName = (typeof all)[number]["name"];

export const quirkList: readonly Quirk<QuirkName>[] = all;
