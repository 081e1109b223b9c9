import { platform } from "#platform";
import { makeModels } from "./catalogue/models.ts";
import type { Call, ClientCore } from "./client-core.ts";
import { overridePatience, readBase, readHeaders, readPatience, secretsOf } from "./client-settings.ts";
import type { Client, ClientOptions, RequestOptions } from "./client-types.ts";
import { makeWarner } from "./make-warner.ts";
import { makeCompletions } from "./completions.ts";
import { makeJobs } from "./jobs/jobs.ts";
import { readJobsProtocol } from "./jobs/jobs-protocol.ts";
import { makeSampleMany, pacedCore } from "./many/sample-many.ts";
import { defaultPaths, type ProfileName } from "./profiles.ts";
import { makeRequestChecker } from "./requests/make-request-checker.ts";
import { makeRawRequest } from "./requests/raw-request.ts";
import { makeServerRoutes } from "./requests/server-routes.ts";
import { makePromptCounter } from "./requests/tokens/prompt-counter.ts";
import { serverTokenizers } from "./requests/tokens/server-tokenizer.ts";
import { chooseTransport } from "./transport/choose-transport.ts";
import { readLongestEvent } from "./streams/longest-event.ts";
import { redactorOf } from "./transport/redactor.ts";
import { openStream, sendRequest, type SendOptions } from "./transport/send-request.ts";
import { withoutUndefined } from "./without-undefined.ts";
import type { Outgoing } from "./transport/transport.ts";

/**
 * A client of one server. The key lives in this closure only: it is no property of the client, and every text that
 * becomes an error passes a redactor first.
 */
export function createClient<P extends ProfileName = "acs">({
  profile,
  ...options
}: ClientOptions<P> = {}): Client<P> {
  const patience = readPatience({ ...options, ...(profile !== undefined && { profile }) });
  const base = readBase(options);
  const plain = readHeaders(options);
  const { transport, secrets } = chooseTransport(options, base.origin, patience.timeout.connect);
  const allSecrets = [...secretsOf(plain), ...secrets];
  const redact = redactorOf(allSecrets);
  // A stream is not asked for packed: a proxy that packs it may hold it back.
  const headers = {
    ...(transport.acceptEncoding !== undefined && { "accept-encoding": transport.acceptEncoding }),
    ...plain,
  };

  let closed: Promise<void> | undefined;

  function prepare(
    { method, path, root = false, body, repeatable = method === "GET", mayRetry, accepts, bytes }: Call,
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
        ...(transport.takesValues
          ? { body: undefined, value: body }
          : { body: body && JSON.stringify(body) }),
      },
      {
        transport,
        redact: ownSecrets.length > 0 ? redactorOf([...ownSecrets, ...allSecrets]) : redact,
        ...overridePatience(patience, request),
        signal: request.signal,
        repeatable,
        mayRetry,
        accepts,
        bytes,
      },
    ];
  }

  const sender = {
    baseURL: base.href,
    profile: profile ?? ("acs" as ProfileName),
    paths: { ...defaultPaths, ...withoutUndefined(options.paths) },
    extraFields: [...(options.extraFields ?? [])],
    longestEvent: readLongestEvent(options.longestEvent),
    send: (call: Call, request: RequestOptions = {}) => sendRequest(...prepare(call, request, headers)),
    open: (call: Call, request: RequestOptions = {}) => openStream(...prepare(call, request, plain)),
  };
  const { models, describe, observe, notice } = makeModels(sender, {
    ...options,
    warn: makeWarner({ onWarning: options.onWarning, redact, tell: (warning) => platform.warn(warning) }),
  });
  const checker = makeRequestChecker({ ...sender, describe }, options.tokenizer);
  const core: ClientCore = { ...sender, describe, observe, notice, prepare: checker.prepare };
  const sampleMany = makeSampleMany(core, {
    completions: makeCompletions(pacedCore(core), checker),
    listModels: (request) => models.list(request),
    backoff: patience.backoff,
    journals: platform.journals,
  });

  const routes = makeServerRoutes(core);

  return Object.freeze({
    baseURL: core.baseURL,
    profile: core.profile,
    completions: Object.freeze({ ...makeCompletions(core, checker), sampleMany }),
    models,
    describe,
    ...routes,
    countTokens: makePromptCounter(options.tokenizer, serverTokenizers(routes)),
    request: makeRawRequest(core),
    observe,
    ...(options.tokenizer && { tokenizer: options.tokenizer }),
    ...(core.profile === "acs" && { jobs: makeJobs(core, readJobsProtocol(core.paths.jobs, options.jobs)) }),
    close: () => (closed ??= transport.close()),
  }) as unknown as Client<P>;
}
