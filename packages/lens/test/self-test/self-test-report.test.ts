import { expect, test } from "vitest";
import { failedNeeds, selfTestChecks, selfTestNeeds } from "../../src/index.ts";
import { behaviourChanges } from "../../src/self-test/behaviour-changes.ts";
import { logprobDistance } from "../../src/self-test/first-token.ts";
import type { Facts } from "../../src/self-test/probe-server.ts";
import {
  type SelfTestResult,
  type SelfTestStatus,
  worstStatus,
} from "../../src/self-test/self-test-check.ts";
import { makeFingerprint } from "../../src/self-test/server-fingerprint.ts";

test("there are 19 checks, each once, with words for both ends", () => {
  expect(selfTestChecks.map(({ code }) => code)).toEqual(Array.from({ length: 19 }, (_, i) => `S${i + 1}`));
  for (const { means, title } of selfTestChecks)
    expect(means.pass + means.fail + title).not.toContain("undefined");
  const needed = new Set(Object.values(selfTestNeeds).flat());
  expect([...needed].sort()).toEqual(selfTestChecks.map(({ code }) => code).sort());
});

test.each<[SelfTestStatus[], SelfTestStatus]>([
  [["pass", "fail", "inconclusive"], "fail"],
  [["pass", "inconclusive"], "inconclusive"],
  [["not applicable", "pass"], "pass"],
  [["not applicable"], "not applicable"],
  [[], "not applicable"],
])("of %j the worst is %s", (statuses, worst) => {
  expect(worstStatus(statuses.map((status) => ({ status })))).toBe(worst);
});

test("a plan fails with the checks that it stands on, and with no others", () => {
  const results = (["S4", "S7", "S10"] as const).map((code) => ({ code, status: "fail" as const }));
  expect(failedNeeds(results, ["capture"])).toEqual([]);
  expect(failedNeeds(results, ["steering", "positions"]).map(({ code }) => code)).toEqual(["S4", "S7"]);
  expect(failedNeeds([{ code: "S4", status: "inconclusive" }], ["steering"])).toEqual([]);
});

const facts: Facts = {
  text: "",
  tokens: [1],
  layerCount: 30,
  checkpoint: "weights",
  systemFingerprint: "vllm-0.30.0-1",
  version: "0.30.0",
  blockTokens: 16,
  routes: ["/v1/hooks/register", "/v1/activations/{handle}"],
};
const result = (code: "S1" | "S2", status: SelfTestStatus): SelfTestResult => ({
  code,
  status,
  title: "",
  detail: "",
  meaning: "",
  measured: {},
  requests: 0,
  seconds: 0,
});
const fingerprint = (more: Partial<Parameters<typeof makeFingerprint>[0]> = {}) =>
  makeFingerprint({
    profile: "vllm",
    model: "m",
    facts,
    behaviours: { layers: "honoured", positions: "absolute" },
    results: [result("S1", "pass"), result("S2", "inconclusive")],
    date: new Date(0),
    ...more,
  });

test("a fingerprint is plain JSON whose hash changes with what was found and not with the day", () => {
  const one = fingerprint();
  expect(JSON.parse(JSON.stringify(one))).toEqual(one);
  expect(one).toMatchObject({
    plugin: "vllm-lens >= 1.3",
    verdicts: { S1: "pass" },
    date: "1970-01-01T00:00:00.000Z",
  });
  expect(one.hash).toMatch(/^[0-9a-f]{64}$/);
  expect(fingerprint({ date: new Date() }).hash).toBe(one.hash);
  expect(fingerprint({ behaviours: { positions: "absolute", layers: "honoured" } }).hash).toBe(one.hash);
  expect(fingerprint({ behaviours: { layers: "all" } }).hash).not.toBe(one.hash);
  expect(fingerprint({ results: [result("S1", "fail")] }).hash).not.toBe(one.hash);
  expect(fingerprint({ facts: { ...facts, version: "0.31.0" } }).hash).not.toBe(one.hash);
});

test.each([
  [["/v1/activations/{handle}"], "honoured", "vllm-lens >= 1.3"],
  [["/v1/hooks/register"], "honoured", "vllm-lens 1.2"],
  [[], "all", "vllm-lens <= 1.1"],
  [undefined, "honoured", "vllm-lens"],
  [undefined, undefined, "none seen"],
] as const)("routes %j and layers %s are %s", (routes, layers, plugin) => {
  const behaviours = layers === undefined ? {} : { layers };
  expect(fingerprint({ facts: { ...facts, routes }, behaviours }).plugin).toBe(plugin);
});

test("what lens does otherwise is said in words", () => {
  expect(behaviourChanges({ layers: "honoured", positions: "absolute" })).toEqual([]);
  expect(behaviourChanges({ positions: "per pass", prefillChunk: 64 })[0]).toContain(
    "prompts of more than 64 tokens",
  );
});

test("log probabilities are compared over the tokens that both list", () => {
  expect(logprobDistance({ a: -1, b: -2 }, { b: -2.5, c: -3 })).toBe(0.5);
  expect(logprobDistance({ a: -1 }, { b: -1 })).toBe(9999);
  expect(logprobDistance(undefined, { a: -1 })).toBeUndefined();
});
