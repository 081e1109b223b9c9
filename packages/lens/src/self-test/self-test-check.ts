import type { SelfTestContext } from "./self-test-context.ts";
import type { ServerBehaviour } from "./server-behaviour.ts";

/**
 * `fail`: the server does something else than what it was asked, or cannot do what the check needs. `not applicable`: this kind of
 * server has nothing to test, or the check was not asked for. `inconclusive`: it could not be decided.
 */
export type SelfTestStatus = "pass" | "fail" | "not applicable" | "inconclusive";

/** What a check measured. Numbers are plain JSON. */
export type Measured = Readonly<Record<string, number | string | boolean | readonly number[]>>;

/** One thing that a check found. */
export interface Finding {
  status: SelfTestStatus;
  /** One clause, with the numbers. */
  detail: string;
  measured?: Measured;
  behaviour?: ServerBehaviour;
  /** There is something to test, and it was not tried. */
  untried?: boolean;
}

/** The checks, by the numbers of the wire dossier's list. */
export type SelfTestCode =
  `S${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13 | 14 | 15 | 16 | 17 | 18 | 19}`;

/** One check of what a server really does. */
export interface SelfTestCheck {
  readonly code: SelfTestCode;
  readonly title: string;
  /** What it means for the user when it passes, and when it fails. */
  readonly means: { readonly pass: string; readonly fail: string };
  /** Which behaviours it finds out. */
  readonly decides: readonly (keyof ServerBehaviour)[];
  /** The most requests that it sends of its own; those it shares with other checks are not in it. */
  readonly requests: number;
  /** It is about something else than captures, so that without them it cannot be decided. Default: it fails without. */
  readonly usesCaptures?: boolean;
  run(context: SelfTestContext): Promise<Finding[]>;
}

/** One check's outcome. */
export interface SelfTestResult {
  code: SelfTestCode;
  title: string;
  status: SelfTestStatus;
  /** What was found, with the numbers. */
  detail: string;
  /** What it means for the user. */
  meaning: string;
  measured: Measured;
  /** The check, or a part of it, was not tried although there is something to test: `detail` says what it needs. */
  untried?: true;
  requests: number;
  seconds: number;
}

const order: readonly SelfTestStatus[] = ["fail", "inconclusive", "pass", "not applicable"];

/** The worst of several; what does not apply counts only where nothing else was found. */
export function worstStatus(findings: readonly Pick<Finding, "status">[]): SelfTestStatus {
  return order.find((status) => findings.some((finding) => finding.status === status)) ?? "not applicable";
}
