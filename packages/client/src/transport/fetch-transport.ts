import type { Transport } from "./transport.ts";
import { faultOf } from "./transport-fault.ts";

/** Sends with the given fetch. It cannot say whether a connection was reused, so such resets count as any other fault. */
export function fetchTransport(fetchWith: typeof fetch): Transport {
  return {
    async open({ method, url, headers, body, signal }) {
      const sent = { method, headers: { ...headers }, body: body ?? null, signal };
      const answer = await fetchWith(url, sent).catch((error: unknown) => {
        throw faultOf(error, { reused: false, answered: false });
      });
      const fault = (error: unknown) => faultOf(error, { reused: false, answered: true });
      return {
        status: answer.status,
        headers: Object.fromEntries(answer.headers),
        bytes: () =>
          answer.arrayBuffer().then(
            (buffer) => new Uint8Array(buffer),
            (error: unknown) => Promise.reject(fault(error)),
          ),
        async *chunks() {
          const reader = answer.body?.getReader();
          if (reader === undefined) return;
          try {
            for (;;) {
              const { done, value } = await reader.read();
              if (done) return;
              yield value;
            }
          } catch (error) {
            throw fault(error);
          } finally {
            await reader.cancel().catch(() => undefined);
          }
        },
      };
    },
    close: () => Promise.resolve(),
  };
}
