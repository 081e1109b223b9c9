import { defineQuirk } from "../quirk.ts";
import { gatewayError } from "./gateway-error.ts";

const hosted = "the hosted API, by its documentation and earlier clients";

/** Too many requests, and when to come again. */
export const storm429 = defineQuirk({
  name: "storm-429",
  wrong: "the request is answered 429 queue_full with Retry-After: 5",
  seen: hosted,
  caught: {
    by: "@residua/client",
    code: "queue_full",
    note: "after its retries, each as late as it was told",
  },
  act: () => ({
    instead: (context) =>
      gatewayError(context, {
        status: 429,
        code: "queue_full",
        type: "rate_limit_error",
        message: "the queue of this key is full",
        retryAfter: 5,
      }),
  }),
});

export const storm429Bare = defineQuirk({
  name: "storm-429-bare",
  wrong: "the request is answered 429 rate_limited, without Retry-After",
  seen: hosted,
  caught: {
    by: "@residua/client",
    code: "rate_limited",
    note: "after its retries, at its own growing distance",
  },
  act: () => ({
    instead: (context) =>
      gatewayError(context, {
        status: 429,
        code: "rate_limited",
        type: "rate_limit_error",
        message: "too many requests",
      }),
  }),
});

export const storm502 = defineQuirk({
  name: "storm-502",
  wrong: "the request is answered 502 upstream_unreachable, marked as retryable",
  seen: hosted,
  caught: {
    by: "@residua/client",
    code: "upstream_unreachable",
    note: "after its retries, which a request without seed at a temperature above 0 does not get",
  },
  act: () => ({
    instead: (context) =>
      gatewayError(context, {
        status: 502,
        code: "upstream_unreachable",
        type: "upstream_error",
        message: "the model's server cannot be reached",
        more: { reason: "connect_timeout", attempts: 4, retryable: true },
      }),
  }),
});

export const storm502Html = defineQuirk({
  name: "storm-502-html",
  wrong: "a proxy answers 502 with a page of HTML",
  seen: "any nginx before a server that restarts",
  caught: { by: "@residua/client", code: "http_502", note: "after its retries" },
  act: () => ({
    instead: () =>
      new Response(
        "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n",
        { status: 502, headers: { "content-type": "text/html" } },
      ),
  }),
});

export const storm503 = defineQuirk({
  name: "storm-503",
  wrong: "the request is answered 503 modal_cold_boot with Retry-After: 30",
  seen: hosted,
  caught: {
    by: "@residua/client",
    code: "modal_cold_boot",
    note: "after its retries, each as late as it was told",
  },
  act: () => ({
    instead: (context) =>
      gatewayError(context, {
        status: 503,
        code: "modal_cold_boot",
        type: "upstream_not_ready",
        message: "the model is being loaded",
        more: { upstream_status: 503, retryable: true, retry_after_seconds: 30 },
        retryAfter: 30,
      }),
  }),
});

export const storm503Bare = defineQuirk({
  name: "storm-503-bare",
  wrong: "the request is answered 503 circuit_open, without Retry-After and with retry_after_seconds: null",
  seen: hosted,
  caught: {
    by: "@residua/client",
    code: "circuit_open",
    note: "after its retries, at its own growing distance",
  },
  act: () => ({
    instead: (context) =>
      gatewayError(context, {
        status: 503,
        code: "circuit_open",
        type: "upstream_error",
        message: "the model's server failed too often in a row",
        more: {
          consecutive_failures: 5,
          last_failure_kind: "upstream_unreachable",
          retryable: true,
          retry_after_seconds: null,
        },
      }),
  }),
});
