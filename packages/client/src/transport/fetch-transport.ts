import type { BodySink, Incoming, Outgoing, Transport } from "./transport.ts";
import { faultOf, TransportFault } from "./transport-fault.ts";
import type { TryClock } from "./try-clock.ts";

/** Sends with the given fetch. It cannot say whether a connection was reused, so such resets count as any other fault. */
export function fetchTransport(fetchWith: typeof fetch): Transport {
  return { open: (request, clock) => send(fetchWith, request, clock), close: () => Promise.resolve() };
}

async function send(fetchWith: typeof fetch, request: Outgoing, clock: TryClock): Promise<Incoming> {
  const { method, origin, path, headers, body } = request;
  const controller = new AbortController();
  let answered = false;
  const fault = (error: unknown) =>
    error instanceof TransportFault ? error : faultOf(error, { reused: false, answered });
  let giveUp: ((error: unknown) => void) | undefined;
  /** A fetch or a read that is aborted just as its answer arrives may stay pending for ever, so none is waited for alone. */
  const unlessStopped = <T>(promise: Promise<T>) =>
    new Promise<T>((resolve, reject) => {
      giveUp = reject;
      promise.then(resolve, (error: unknown) => reject(fault(error)));
    });
  clock.onEnd = () => {
    controller.abort();
    giveUp?.(new TransportFault("stopped", "stopped by the clock", { reused: false, answered }));
  };
  if (clock.ended !== undefined) clock.onEnd();
  clock.enter("headers");
  const sent = { method, headers: { ...headers }, body: body ?? null, signal: controller.signal };
  const answer = await unlessStopped(fetchWith(origin + path, sent));
  answered = true;
  clock.rest();
  const reader = answer.body?.getReader();
  const end = { done: true, value: undefined } as const;

  async function next(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (reader === undefined) return end;
    clock.heard();
    const piece = await unlessStopped(reader.read());
    clock.rest();
    return piece.done ? end : piece;
  }

  async function close() {
    controller.abort();
    await reader?.cancel().catch(() => undefined);
    return end;
  }

  async function read(sink: BodySink): Promise<void> {
    try {
      for (let piece = await next(); !piece.done; piece = await next()) {
        if (!sink.write(piece.value)) return void (await close());
      }
    } catch (error) {
      await close();
      throw error;
    }
  }

  return {
    status: answer.status,
    headers: Object.fromEntries(answer.headers),
    read,
    chunks: () => ({ next, return: close }),
  };
}
