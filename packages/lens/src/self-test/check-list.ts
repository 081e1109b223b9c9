import { additiveDelta } from "./checks/additive-delta.ts";
import { cacheBypass } from "./checks/cache-bypass.ts";
import { cacheIsolation } from "./checks/cache-isolation.ts";
import { concurrency } from "./checks/concurrency.ts";
import { ignoredPositions } from "./checks/ignored-positions.ts";
import { lastLayer } from "./checks/last-layer.ts";
import { layerIndex } from "./checks/layer-index.ts";
import { layerOrder } from "./checks/layer-order.ts";
import { layerSelector } from "./checks/layer-selector.ts";
import { linearity } from "./checks/linearity.ts";
import { normMatch } from "./checks/norm-match.ts";
import { positions } from "./checks/positions.ts";
import { refusals } from "./checks/refusals.ts";
import { rowCount } from "./checks/row-count.ts";
import { severalChoices } from "./checks/several-choices.ts";
import { streams } from "./checks/streams.ts";
import { tensorForms } from "./checks/tensor-forms.ts";
import { textAndTokens } from "./checks/text-and-tokens.ts";
import { wrongWidth } from "./checks/wrong-width.ts";
import type { SelfTestCheck } from "./self-test-check.ts";

/** All checks, in the order in which they run. */
export const selfTestChecks: readonly SelfTestCheck[] = [
  layerOrder,
  rowCount,
  layerSelector,
  additiveDelta,
  linearity,
  normMatch,
  positions,
  ignoredPositions,
  wrongWidth,
  severalChoices,
  streams,
  cacheIsolation,
  cacheBypass,
  tensorForms,
  layerIndex,
  refusals,
  textAndTokens,
  concurrency,
  lastLayer,
];
