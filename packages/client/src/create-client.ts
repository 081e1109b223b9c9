import { platform } from "#platform";
import { makeModels } from "./catalogue/models.ts";
import type { Call, ClientCore } from "./client-core.ts";
import { readBaseURL, readHeaders, readPatience, secretsOf } from "./client-settings.ts";
import type { Client, ClientOptions, RequestOptions } from "./client-types.ts";
import { makeCompletions } from "./completions.ts";
import { makeSampleMany, pacedCore } from "./many/sample-many.ts";
import { defaultPaths, type ProfileName } from "./profiles.ts";
import { makeRequestChecker } from "./requests/make-request-checker.ts";
import { makeServerRoutes } from "./requests/server-routes.ts";
import { fetchTransport } from "./transport/fetch-transport.ts";
import { readLongestEvent } from "./streams/longest-event.ts";
import { redactorOf } from "./transport/redactor.ts";
import { openStream, sendRequest, type SendOptions } from "./transport/send-request.ts";
import type { Outgoing } from "./transport/transport.ts";

/**
 * A client of one server. The key lives in this closure only: it is no property of the client, and every text that
 * becomes an error passes a redactor first.
 */
export function createClient<P extends ProfileName = "acs">({
  profile,
  ...options
}: ClientOptions<P> = {}): Client<P> {
  const base = readBaseURL(options.baseURL ?? platform.environment("ACS_API_BASE"));
  const headers = readHeaders(options);
  const redact = redactorOf(secretsOf(headers));
  const transport = options.fetch ? fetchTransport(options.fetch) : platform.defaultTransport(base.origin);
  function prepare(
    { method, path, root = false, body, repeatable = method === "GET", mayRetry }: Call,
    request: RequestOptions,
  ): [Omit<Outgoing, "signal">, SendOptions] {
    const extra = readHeaders({ headers: request.headers ?? {}, apiKey: "" });
    const under = root ? base.href.replace(/\/v1$/, "") : base.href;
    return [
      {
        method,
        url: new URL(under + path),
        headers: { ...headers, ...extra },
        body: body && JSON.stringify(body),
      },
      {
        transport,
        redact: request.headers ? redactorOf(secretsOf({ ...headers, ...extra })) : redact,
        ...readPatience(options, request),
        signal: request.signal,
        repeatable,
        mayRetry,
      },
    ];
  }

  const sender = {
    baseURL: base.href,
    profile: profile ?? ("acs" as ProfileName),
    paths: { ...defaultPaths, ...options.paths },
    longestEvent: readLongestEvent(options.longestEvent),
    send: (call: Call, request: RequestOptions = {}) => sendRequest(...prepare(call, request)),
    open: (call: Call, request: RequestOptions = {}) => openStream(...prepare(call, request)),
  };
  const { models, describe, observe, notice } = makeModels(sender, {
    ...options,
    warn: options.onWarning ?? ((warning) => platform.warn(warning)),
  });
  const checker = makeRequestChecker({ ...sender, describe }, options.tokenizer);
  const core: ClientCore = { ...sender, describe, observe, notice, prepare: checker.prepare };
  const sampleMany = makeSampleMany(core, {
    create: makeCompletions(pacedCore(core), checker).create,
    listModels: () => models.list(),
    backoff: readPatience(options).backoff,
    journals: platform.journals,
  });

  return Object.freeze({
    baseURL: core.baseURL,
    profile: core.profile,
    completions: Object.freeze({ ...makeCompletions(core, checker), sampleMany }),
    models,
    describe,
    ...makeServerRoutes(core),
    observe,
    close: () => transport.close(),
  }) as unknown as Client<P>;
}
