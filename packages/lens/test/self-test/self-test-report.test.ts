import { describe, expect, test } from "vitest";
import { failedNeeds, selfTestChecks, type SelfTestNeed, selfTestNeeds } from "../../src/index.ts";
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

describe("needs of a plan", () => {
  type Some = Pick<SelfTestResult, "code" | "status" | "untried">;
  const allOf = (need: SelfTestNeed, status: SelfTestStatus = "pass"): Some[] =>
    selfTestNeeds[need].map((code) => ({ code, status }));
  const verdict = (results: readonly Some[], needs: readonly SelfTestNeed[]) =>
    failedNeeds(results, needs).map(({ need, failed, reason }) => [
      need,
      failed.map(({ code }) => code).join(),
      reason,
    ]);

  test("are met by checks that all ran, and not by those of other needs", () => {
    expect(verdict([...allOf("capture"), { code: "S7", status: "fail" }], ["capture"])).toEqual([]);
    expect(verdict([], [])).toEqual([]);
  });

  test("fail with the checks that failed", () => {
    const results = [...allOf("steering", "fail"), ...allOf("positions", "fail"), ...allOf("streams")];
    expect(verdict(results, ["positions", "steering", "streams"])).toEqual([
      ["positions", "S7", "S7 failed"],
      ["steering", "S4,S5,S15,S18", "S4 failed; S5 failed; S15 failed; S18 failed"],
    ]);
    expect(
      failedNeeds([{ code: "S7", status: "fail", meaning: "rows move" }], ["positions"])[0]?.reason,
    ).toBe("S7 failed (rows move)");
  });

  test.each<[string, Some[], SelfTestNeed, string]>([
    ["without any check", [], "capture", "S1, S2, S15, S17, S18 did not run"],
    ["with checks of others alone", allOf("positions"), "norm-match", "S6 did not run"],
    ["with a part of its checks", allOf("capture").slice(1), "capture", "S1 did not run"],
    ["with checks that decided nothing", allOf("positions", "inconclusive"), "positions", "S7: inconclusive"],
    [
      "with one that decided nothing",
      [...allOf("steering").slice(1), { code: "S4", status: "inconclusive" }],
      "steering",
      "S4: inconclusive",
    ],
    [
      "with checks that were not tried",
      [{ code: "S19", status: "not applicable", untried: true }],
      "last-layer",
      "S19: not tried",
    ],
  ])("are not met %s", (_how, results, need, reason) => {
    expect(verdict(results, [need])).toEqual([[need, "", reason]]);
  });

  test("are met where this kind of server has nothing that they could be about, or a part was not tried", () => {
    expect(verdict(allOf("bypass", "not applicable"), ["bypass"])).toEqual([]);
    const refusals = allOf("refusals").filter(({ code }) => code !== "S9");
    const results: Some[] = [...refusals, { code: "S9", status: "not applicable", untried: true }];
    expect(verdict(results, ["refusals"])).toEqual([]);
  });

  test.each([[["bogus"]], [["toString"]], [["capture", "bogus"]], ["capture"]])("%j is refused", (needs) => {
    expect(() => failedNeeds([], needs as SelfTestNeed[])).toThrow(
      expect.objectContaining({
        code: "invalid_option",
        message: expect.stringMatching(/^needs: /) as unknown,
      }),
    );
  });
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
