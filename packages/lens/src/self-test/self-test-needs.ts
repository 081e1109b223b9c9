import type { SelfTestCode, SelfTestResult } from "./self-test-check.ts";

/** What a plan may stand on, and the checks that it stands on then. */
export const selfTestNeeds = {
  capture: ["S1", "S2", "S15", "S17", "S18"],
  steering: ["S4", "S5", "S15", "S18"],
  "norm-match": ["S6"],
  positions: ["S7"],
  several: ["S10"],
  streams: ["S11"],
  isolation: ["S12"],
  bypass: ["S13"],
  refusals: ["S3", "S8", "S9", "S16"],
  forms: ["S14"],
  "last-layer": ["S19"],
} as const satisfies Readonly<Record<string, readonly SelfTestCode[]>>;

export type SelfTestNeed = keyof typeof selfTestNeeds;

/** The checks that failed of those that a plan stands on. */
export function failedNeeds<R extends Pick<SelfTestResult, "code" | "status">>(
  results: readonly R[],
  needs: readonly SelfTestNeed[],
): R[] {
  const codes = new Set<SelfTestCode>(needs.flatMap((need) => selfTestNeeds[need]));
  return results.filter(({ code, status }) => status === "fail" && codes.has(code));
}
