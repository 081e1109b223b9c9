import { APIError, ResiduaError } from "@residua/client";
import { aFunction, anyText, flag, kind, type Kind } from "../arguments/kinds.ts";
import { TensorError } from "../codec/tensor-error.ts";
import type { LensCore } from "../lens-core.ts";
import type { LensOptions } from "../lens-types.ts";
import { LensOptionError } from "../profiles/lens-option-error.ts";
import { checkOptions, lensOptionKinds } from "../requests/check-options.ts";
import { VerificationError } from "../verify/verification-error.ts";
import { behaviourChanges } from "./behaviour-changes.ts";
import { selfTestChecks } from "./check-list.ts";
import { probeServer } from "./probe-server.ts";
import {
  type Finding,
  type SelfTestCheck,
  type SelfTestCode,
  type SelfTestResult,
  worstStatus,
} from "./self-test-check.ts";
import { makeContext, type SelfTestContext, type Unembedding } from "./self-test-context.ts";
import { makeRequests } from "./self-test-requests.ts";
import type { ServerBehaviour } from "./server-behaviour.ts";
import { makeFingerprint, type ServerFingerprint } from "./server-fingerprint.ts";

export interface SelfTestOptions extends LensOptions {
  /** Default: the only model of the server's catalogue. */
  model?: string;
  /** Default: all, in their own order. */
  checks?: readonly SelfTestCode[];
  /** Also what can harm requests of others at that time (S9). Default false. */
  intrusive?: boolean;
  /** Weights with which S19 is tried. */
  unembedding?: Unembedding;
  /** Called before each check. */
  onProgress?: (progress: { done: number; total: number; code: SelfTestCode; title: string }) => void;
}

/** What a server really does, check by check. */
export interface SelfTestReport {
  fingerprint: ServerFingerprint;
  results: SelfTestResult[];
  /** What was found and is used from now on. */
  behaviours: ServerBehaviour;
  /** What lens does otherwise by that, in words. */
  changes: string[];
  requests: number;
  seconds: number;
}

/**
 * Runs the checks one after another and learns what the server does. Throws `invalid_option`; and what a plain completion throws, for
 * then there is no server to test. What else goes wrong is a check's result.
 */
export async function selfTest(core: LensCore, options: SelfTestOptions = {}): Promise<SelfTestReport> {
  const { signal, onProgress, intrusive = false, unembedding } = checkOptions(options, selfTestKinds);
  const chosen = chooseChecks(options.checks);
  const begun = performance.now();
  const sending = signal ? { signal } : {};
  const model = await core.client.describe(options.model, sending);
  const requests = makeRequests(core, { model: model.id, options: sending });
  const facts = await probeServer(core, model, requests);
  const context = makeContext({ core, model, requests, facts, intrusive, unembedding });
  const results: SelfTestResult[] = [];
  let behaviours: ServerBehaviour = {};
  for (const [done, check] of chosen.entries()) {
    onProgress?.({ done, total: chosen.length, code: check.code, title: check.title });
    const { result, found } = await runCheck(check, context);
    results.push(result);
    behaviours = { ...behaviours, ...found };
  }
  const fingerprint = makeFingerprint({
    profile: core.profile.name,
    model: model.id,
    facts,
    behaviours,
    results,
    date: new Date(),
  });
  core.behaviours.learn(model.id, behaviours, fingerprint);
  return {
    fingerprint,
    results,
    behaviours,
    changes: behaviourChanges(behaviours),
    requests: requests.count(),
    seconds: secondsSince(begun),
  };
}

const selfTestKinds = {
  ...lensOptionKinds,
  model: anyText,
  checks: kind("a list of codes, such as S1", Array.isArray),
  intrusive: flag,
  unembedding: kind("weights: { finalNorm: numbers, epsilon: a number, row: a function }", isUnembedding),
  onProgress: aFunction,
} satisfies Record<keyof SelfTestOptions, Kind>;

function isUnembedding(value: unknown): boolean {
  const { finalNorm, epsilon, row } = (value ?? {}) as Partial<Record<keyof Unembedding, unknown>>;
  const numbers = Array.isArray(finalNorm) || ArrayBuffer.isView(finalNorm);
  return numbers && typeof epsilon === "number" && typeof row === "function";
}

function chooseChecks(codes: readonly SelfTestCode[] | undefined): readonly SelfTestCheck[] {
  if (codes === undefined) return selfTestChecks;
  const unknown = codes.find((code) => !selfTestChecks.some((check) => check.code === code));
  if (unknown === undefined && codes.length > 0)
    return selfTestChecks.filter(({ code }) => codes.includes(code));
  const what = unknown === undefined ? "an empty list" : JSON.stringify(unknown);
  throw new LensOptionError(
    `checks: ${what} given; allowed: ${selfTestChecks.map(({ code }) => code).join(", ")}`,
  );
}

async function runCheck(
  check: SelfTestCheck,
  context: SelfTestContext,
): Promise<{ result: SelfTestResult; found: ServerBehaviour }> {
  const begun = performance.now();
  const before = context.count();
  const findings = await check.run(context).catch((error: unknown) => [findingOf(error, check)]);
  const status = worstStatus(findings);
  const { code, title, means } = check;
  const meaning = {
    ...means,
    "not applicable": "there is nothing here to rely on, or it was not tried",
    inconclusive: "nothing is known of this: do not rely on it",
  }[status];
  return {
    result: {
      code,
      title,
      status,
      detail: findings.map(({ detail }) => detail).join("; "),
      meaning,
      measured: Object.assign(
        {},
        ...findings.map(({ measured = {} }) => measured),
      ) as SelfTestResult["measured"],
      ...(findings.some(({ untried = false }) => untried) && { untried: true as const }),
      requests: context.count() - before,
      seconds: secondsSince(begun),
    },
    found: Object.assign({}, ...findings.map(({ behaviour = {} }) => behaviour)) as ServerBehaviour,
  };
}

/** An answer that is not what was asked for, or a refusal of what is right, is a fault of the server; the rest decides nothing. */
function findingOf(error: unknown, { usesCaptures = false }: SelfTestCheck): Finding {
  if (!(error instanceof ResiduaError) || error.code === "aborted") throw error;
  const refused = error instanceof APIError && error.status < 500 && !error.retryable;
  const broken = error instanceof VerificationError || error instanceof TensorError;
  const fault = refused || (broken && !usesCaptures);
  return { status: fault ? "fail" : "inconclusive", detail: `${error.code}: ${error.message}` };
}

const secondsSince = (begun: number): number => Number(((performance.now() - begun) / 1000).toFixed(2));
