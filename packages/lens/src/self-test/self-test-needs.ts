import { LensOptionError } from "../profiles/lens-option-error.ts";
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

/** A need that is not met, and why. */
export interface FailedNeed<R> {
  need: SelfTestNeed;
  /** Its checks that failed. Empty where what is wrong is that nothing, or not enough, was found out. */
  failed: R[];
  reason: string;
}

type Result = Pick<SelfTestResult, "code" | "status"> & Partial<Pick<SelfTestResult, "meaning" | "untried">>;

/**
 * The needs that are not met. A need is met when each of its checks ran, none failed, none was inconclusive, and one passed; or
 * when there is nothing on this kind of server that it could be about. Throws `invalid_option` for a need that is not known.
 */
export function failedNeeds<R extends Result>(
  results: readonly R[],
  needs: readonly SelfTestNeed[],
): FailedNeed<R>[] {
  if (!Array.isArray(needs)) throw new LensOptionError("needs: allowed: a list of needs");
  return (needs as readonly SelfTestNeed[]).flatMap((need) => {
    if (!Object.hasOwn(selfTestNeeds, need)) {
      const known = Object.keys(selfTestNeeds).join(", ");
      throw new LensOptionError(`needs: ${JSON.stringify(need)} is not a need; known: ${known}`);
    }
    const codes: readonly SelfTestCode[] = selfTestNeeds[need];
    const own = results.filter(({ code }) => codes.includes(code));
    const failed = own.filter(({ status }) => status === "fail");
    const reason = reasonOf(codes, own);
    return reason === undefined ? [] : [{ need, failed, reason }];
  });
}

function reasonOf(codes: readonly SelfTestCode[], own: readonly Result[]): string | undefined {
  const failed = own.filter(({ status }) => status === "fail");
  if (failed.length > 0)
    return failed
      .map(({ code, meaning }) => `${code} failed${meaning === undefined ? "" : ` (${meaning})`}`)
      .join("; ");
  const absent = codes.filter((code) => !own.some((result) => result.code === code));
  if (absent.length > 0) return `${absent.join(", ")} did not run`;
  const open = own.filter(({ status }) => status === "inconclusive");
  if (open.length > 0) return `${listed(open)}: inconclusive`;
  const untried = own.filter((result) => result.untried === true);
  const passed = own.some(({ status }) => status === "pass");
  return passed || untried.length === 0 ? undefined : `${listed(untried)}: not tried`;
}

const listed = (results: readonly Result[]): string => results.map(({ code }) => code).join(", ");
