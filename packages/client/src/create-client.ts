import { platform } from "#platform";
import { makeModels } from "./catalogue/models.ts";
import type { Call, ClientCore } from "./client-core.ts";
import { overridePatience, readBaseURL, readHeaders, readPatience, secretsOf } from "./client-settings.ts";
import type { Client, ClientOptions, RequestOptions } from "./client-types.ts";
import { makeCompletions } from "./completions.ts";
import { defaultPaths } from "./profiles.ts";
import { fetchTransport } from "./transport/fetch-transport.ts";
import { redactorOf } from "./transport/redactor.ts";
import { openStream, sendRequest, type SendOptions } from "./transport/send-request.ts";
import type { Outgoing } from "./transport/transport.ts";

/**
 * A client of one server. The key lives in this closure only: it is no property of the client, and every text that
 * becomes an error passes a redactor first.
 */
export function createClient(options: ClientOptions = {}): Client {
  const patience = readPatience(options);
  const base = readBaseURL(options.baseURL ?? platform.environment("ACS_API_BASE"));
  const plain = readHeaders(options);
  const { transport, secrets } = options.fetch
    ? { transport: fetchTransport(options.fetch), secrets: [] }
    : platform.defaultTransport({
        origin: base.origin,
        connections: options.connections,
        connectTimeout: patience.timeout.connect,
        proxy: options.proxy,
      });
  const allSecrets = [...secretsOf(plain), ...secrets];
  const redact = redactorOf(allSecrets);
  // A stream is not asked for packed: a proxy that packs it may hold it back.
  const headers = {
    ...(transport.acceptEncoding !== undefined && { "accept-encoding": transport.acceptEncoding }),
    ...plain,
  };

  function prepare(
    { method, path, root = false, body, repeatable = method === "GET" }: Call,
    request: RequestOptions,
    shared: Readonly<Record<string, string>>,
  ): [Outgoing, SendOptions] {
    const extra = request.headers && readHeaders({ headers: request.headers, apiKey: "" });
    const ownSecrets = extra ? secretsOf(extra) : [];
    const at = new URL((root ? base.href.replace(/\/v1$/, "") : base.href) + path);
    return [
      {
        method,
        origin: base.origin,
        path: at.pathname + at.search,
        headers: extra ? { ...shared, ...extra } : shared,
        body: body && JSON.stringify(body),
      },
      {
        transport,
        redact: ownSecrets.length > 0 ? redactorOf([...ownSecrets, ...allSecrets]) : redact,
        ...overridePatience(patience, request),
        signal: request.signal,
        repeatable,
      },
    ];
  }

  const sender = {
    baseURL: base.href,
    profile: options.profile ?? "acs",
    paths: { ...defaultPaths, ...options.paths },
    send: (call: Call, request: RequestOptions = {}) => sendRequest(...prepare(call, request, headers)),
    open: (call: Call, request: RequestOptions = {}) => openStream(...prepare(call, request, plain)),
  };
  const { models, describe } = makeModels(sender);
  const core: ClientCore = { ...sender, describe };

  return Object.freeze({
    baseURL: core.baseURL,
    profile: core.profile,
    completions: makeCompletions(core),
    models,
    describe,
    close: () => transport.close(),
  });
}
