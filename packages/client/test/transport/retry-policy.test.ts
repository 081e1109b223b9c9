import { describe, expect, it } from "vitest";
import { retryAfterSeconds } from "../../src/transport/error-body.ts";
import { retryOfAnswer, retryOfConnection, waitBefore } from "../../src/transport/retry-policy.ts";

const of = (status: number, code = `http_${status}`, retryable?: boolean, shouldRetry?: boolean) =>
  retryOfAnswer({ status, code, retryable, shouldRetry });

describe("retryOfAnswer", () => {
  it("never retries budget and quota codes, whatever the status and the flag say", () => {
    for (const code of [
      "budget_exceeded",
      "activation_quota_exceeded",
      "harvest_quota_exceeded",
      "team_quota_used",
    ]) {
      expect(of(429, code)).toBe("never");
    }
    expect(of(429, "budget_exceeded", true)).toBe("never");
  });

  it("retries 429 and 503, and faults between only when they repeat", () => {
    expect([of(429), of(503), of(429, "queue_full"), of(503, "circuit_open")]).toEqual(
      Array(4).fill("always"),
    );
    expect([of(408), of(502), of(504), of(502, "vllm_engine_dead")]).toEqual(Array(4).fill("repeatable"));
    expect([of(400), of(401), of(404), of(409), of(413), of(422), of(500), of(501)]).toEqual(
      Array(8).fill("never"),
    );
  });

  it("lets the server's flag win over the status, and the table over the flag", () => {
    expect(of(502, "upstream_server_error", true)).toBe("always");
    expect(of(502, "upstream_server_error", false)).toBe("never");
    expect(of(200, "modal_cold_boot", false)).toBe("always");
    expect(of(502, "vllm_oom", true)).toBe("never");
  });

  it("lets x-should-retry win over everything but budget and quota", () => {
    expect(of(500, "internal_error", false, true)).toBe("always");
    expect(of(429, "queue_full", true, false)).toBe("never");
    expect(of(429, "budget_exceeded", true, true)).toBe("never");
  });
});

describe("retryOfConnection", () => {
  it("retries what was never sent, and a reused socket that broke before the first byte", () => {
    expect(retryOfConnection("ECONNREFUSED", { reused: false, answered: false })).toBe("always");
    expect(retryOfConnection("ECONNRESET", { reused: true, answered: false })).toBe("stale");
    expect(retryOfConnection("ECONNRESET", { reused: false, answered: false })).toBe("repeatable");
    expect(retryOfConnection("UND_ERR_SOCKET", { reused: true, answered: true })).toBe("repeatable");
  });

  it("never retries what will not pass", () => {
    for (const reason of [
      "CERT_HAS_EXPIRED",
      "ERR_TLS_CERT_ALTNAME_INVALID",
      "UND_ERR_CLOSED",
      "proxy_refused",
    ]) {
      expect(retryOfConnection(reason, { reused: false, answered: false })).toBe("never");
    }
  });
});

describe("waitBefore", () => {
  it("doubles up to the longest, less up to a quarter", () => {
    const backoff = { first: 500, longest: 8000 };
    expect([1, 2, 3, 9].map((n) => waitBefore(n, undefined, backoff, () => 0))).toEqual([
      500, 1000, 2000, 8000,
    ]);
    expect(waitBefore(2, undefined, backoff, () => 1)).toBe(750);
  });

  it("waits as long as it is told, and a little more so that not all come at once", () => {
    const backoff = { first: 500, longest: 8000 };
    expect([0, 0.5, 1].map((random) => waitBefore(2, 7, backoff, () => random))).toEqual([7000, 7350, 7700]);
    expect(waitBefore(2, 60, backoff, () => 1)).toBe(61_000);
  });
});

describe("retryAfterSeconds", () => {
  it("reads seconds and dates", () => {
    const now = Date.parse("2026-11-29T12:00:00Z");
    expect(retryAfterSeconds("2.5", now)).toBe(2.5);
    expect(retryAfterSeconds("Sun, 29 Nov 2026 12:00:30 GMT", now)).toBe(30);
    expect(retryAfterSeconds("Sun, 29 Nov 2026 11:00:00 GMT", now)).toBe(0);
    expect(retryAfterSeconds("soon", now)).toBeUndefined();
    expect(retryAfterSeconds(undefined, now)).toBeUndefined();
  });
});
