import { acceptEncoding } from "./body-decoder.ts";
import { type DispatchTicket, poolDispatcher, type PoolSettings } from "./pool-dispatcher.ts";
import { PoolExchange } from "./pool-exchange.ts";
import type { Transport } from "./transport.ts";

/** Sends with an undici pool of one origin. */
export function poolTransport(settings: PoolSettings): Transport {
  const dispatcher = poolDispatcher(settings);
  const { origin } = settings;
  return {
    acceptEncoding,
    open({ method, path, headers, body }, clock) {
      const exchange = new PoolExchange(clock);
      const options = {
        ...{ origin, method, path, body: body ?? null },
        // A proxy adds its own to them.
        headers: settings.proxy === undefined ? (headers as Record<string, string>) : { ...headers },
        headersTimeout: 0,
        bodyTimeout: 0,
        exchange,
      } satisfies DispatchTicket & Parameters<typeof dispatcher.dispatch>[0];
      dispatcher.dispatch(options, exchange);
      return exchange.opened;
    },
    close: () => dispatcher.close(),
  };
}
