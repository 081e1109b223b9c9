import type { QuirkName } from "./quirk-list.ts";

/**
 * The checks of lens's self-test (`lens.selfTest`, `residua selftest`) that are for a quirk: each of them fails at a server that has it.
 * What else fails there is in packages/lens/docs/self-test.md.
 */
export const foundBySelfTest: Partial<Record<QuirkName, readonly `S${number}`[]>> = {
  "string-list-all-layers": ["S1"],
  "odd-selector-all-layers": ["S3"],
  "unknown-layers-dropped": ["S3"],
  "wrong-width-accepted": ["S9"],
  "dropped-with-n": ["S10"],
  "first-prompt-only": ["S10"],
  "stream-drops-capture": ["S11"],
  "chat-stream-cuts-capture": ["S11"],
  "doubled-bos": ["S17"],
  "chunk-relative-positions": ["S7"],
  "prefill-only-steering": ["S4"],
  "steering-dropped": ["S4", "S5"],
  "missing-activations": ["S1", "S4"],
  "half-residual": ["S15"],
  "norm-match-of-delta": ["S6"],
  "prefix-cache-gap": ["S2"],
  "prefix-cache-contamination": ["S12"],
  "off-by-one-layer": ["S15"],
  "preempted-rows": ["S2"],
  "other-request-rows": ["S18"],
  "nan-row": ["S2"],
  "truncated-zstd": ["S2"],
};
