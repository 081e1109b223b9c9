import type { Socket } from "node:net";
import { type buildConnector, Client, type Dispatcher, Pool, ProxyAgent } from "undici";
import type { TransportSettings } from "../platform/platform.ts";
import type { PoolExchange } from "./pool-exchange.ts";
import type { Proxy } from "./proxy.ts";

/** How connections to one origin are made and kept. */
export interface PoolSettings extends Omit<TransportSettings, "proxy"> {
  proxy: Proxy | undefined;
}

/**
 * What undici is given. Its own timers for headers and bodies are off: the clock of each try has the limits, so that a cold
 * boot of many minutes is not cut at undici's 300 seconds. A server of uvicorn (vLLM) closes a connection that was idle for
 * 5 seconds, so ours are let go at 4; one that says how long it waits is left a second earlier.
 */
export function poolOptions({ connections, connectTimeout }: PoolSettings): Pool.Options {
  return {
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: 4000,
    keepAliveTimeoutThreshold: 1000,
    connect: { timeout: connectTimeout },
    factory: (at, options: Client.Options) => tellingClient(at, options),
    ...(connections !== undefined && { connections }),
  };
}

/** A pool for one origin, through a proxy where there is one: a tunnel to https, plain requests to http. */
export function poolDispatcher(settings: PoolSettings): Dispatcher {
  const { origin, proxy } = settings;
  const options = poolOptions(settings);
  if (proxy === undefined) return new Pool(origin, options);
  return new ProxyAgent({
    ...options,
    uri: proxy.origin,
    ...(proxy.authorization !== undefined && { token: proxy.authorization }),
    proxyTunnel: false,
    factory: (at, given: object) => new Pool(at, { ...given, ...withoutConnect(options, given) }),
  });
}

/** A tunnel brings its own way to connect. */
function withoutConnect(options: Pool.Options, given: object): Pool.Options {
  const { connect, ...rest } = options;
  return "connect" in given ? rest : { ...rest, ...(connect && { connect }) };
}

/** Rides on a request's options to the connection that takes it. */
export interface DispatchTicket {
  exchange: PoolExchange;
}

/** One of the pool's connections, as a request that it takes sees it. */
export interface PooledConnection {
  /** Only a connection that stood before the request came can have been closed behind our back. */
  readonly stands: boolean;
  /**
   * Closes the socket under the request. undici's own abort would put the dead request back into the queue and open a new
   * connection for it.
   */
  close(): void;
}

/** With undici's own code for a broken socket, as of a proxy that hangs up, it would knock again and again without end. */
function unableToConnect(error: Error & { code?: string }): Error {
  if (error.code !== "UND_ERR_SOCKET" && error.code !== "UND_ERR_INFO") return error;
  return Object.assign(new Error(`the proxy hung up: ${error.message}`), { code: "proxy_hung_up" });
}

function tellingClient(at: URL, options: Client.Options): Client {
  let socket: Socket | undefined;
  const connection: PooledConnection = {
    get stands() {
      return socket?.destroyed === false;
    },
    close: () => void socket?.destroy(new Error("stopped")),
  };
  const connect = options.connect as buildConnector.connector;
  const client = new Client(at, {
    ...options,
    connect: (to, callback) =>
      connect(to, (...result) => {
        const [error] = result;
        socket = result[1] ?? undefined;
        if (error === null) callback(...result);
        else callback(unableToConnect(error), null);
      }),
  });
  const dispatch = client.dispatch.bind(client);
  client.dispatch = (request, handler) => {
    (request as Partial<DispatchTicket>).exchange?.taken(connection);
    return dispatch(request, handler);
  };
  return client;
}
