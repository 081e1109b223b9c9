import type { IncomingHttpHeaders } from "node:http";
import type { Dispatcher } from "undici";
import { type BodyDecoder, decoderFor } from "./body-decoder.ts";
import type { PooledConnection } from "./pool-dispatcher.ts";
import type { BodySink, Incoming } from "./transport.ts";
import { faultOf, TransportFault } from "./transport-fault.ts";
import type { TryClock } from "./try-clock.ts";

/** So much of a body may wait for its reader before the connection is paused. */
const mostWaiting = 2 ** 18;

type Controller = Dispatcher.DispatchController;
type Piece = IteratorResult<Uint8Array, undefined>;

/** One request on one of undici's connections: its handler, and the answer that comes of it. */
export class PoolExchange
  implements Dispatcher.DispatchHandler, Incoming, AsyncIterator<Uint8Array, undefined>
{
  /** Resolves with the answer when its headers have come. */
  readonly opened: Promise<Incoming>;
  status = 0;
  headers: Readonly<Record<string, string | undefined>> = {};
  readonly #clock: TryClock;
  #open!: (incoming: Incoming) => void;
  #refuse!: (fault: unknown) => void;
  #controller: Controller | undefined;
  #connection: PooledConnection | undefined;
  #reused = false;
  #answered = false;
  #decoder: BodyDecoder | undefined;
  /** What came before a reader did, or faster than it reads. */
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #over = false;
  #fault: unknown;
  #sink: BodySink | undefined;
  #settle: { resolve: () => void; reject: (fault: unknown) => void } | undefined;
  #reader: { resolve: (piece: Piece) => void; reject: (fault: unknown) => void } | undefined;

  constructor(clock: TryClock) {
    this.#clock = clock;
    this.opened = new Promise((resolve, reject) => {
      this.#open = resolve;
      this.#refuse = reject;
    });
    clock.onEnd = () => this.#stop(new TransportFault("stopped", "stopped by the clock", this.#at));
    if (clock.ended !== undefined) clock.onEnd();
  }

  /** A connection of the pool has taken the request. */
  taken(connection: PooledConnection): void {
    this.#reused = connection.stands;
    this.#connection = connection;
    if (!this.#reused && !this.#over) this.#clock.enter("connect");
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller;
    // Thrown, it costs the connection nothing; aborting would close it.
    if (this.#over) throw new Error("stopped before it was sent");
    this.#clock.enter("headers");
  }

  onResponseStart(controller: Controller, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200 || this.#over) return;
    this.#clock.rest();
    this.#answered = true;
    this.status = status;
    this.headers = flat(headers);
    const encoding = this.headers["content-encoding"];
    if (encoding !== undefined) {
      this.#decoder = decoderFor(encoding, {
        data: (chunk) => this.#deliver(chunk),
        end: () => this.#end(),
        fail: (reason, message) => this.#stop(new TransportFault(reason, message, this.#at)),
        drained: () => this.#resume(),
      });
    }
    this.#open(this);
  }

  onResponseData(controller: Controller, chunk: Uint8Array): void {
    if (this.#over) return;
    if (this.#waiting.length === 0) this.#clock.heard();
    if (this.#decoder === undefined) this.#deliver(chunk);
    else if (!this.#decoder.write(chunk)) controller.pause();
    if (this.#waitingBytes > mostWaiting) controller.pause();
  }

  onResponseEnd(): void {
    // It may serve another request while the last of this body is still being unpacked.
    this.#connection = undefined;
    if (this.#decoder === undefined) this.#end();
    else this.#decoder.end();
  }

  onResponseError(_: Controller, error: Error): void {
    this.#stop(faultOf(error, this.#at));
  }

  async read(sink: BodySink): Promise<void> {
    try {
      for (const chunk of this.#take()) if (!sink.write(chunk)) return this.#stop(undefined);
    } catch (fault) {
      this.#stop(fault);
      throw fault;
    }
    this.#sink = sink;
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
      this.#await();
    });
  }

  chunks(): AsyncIterator<Uint8Array, undefined> {
    return this;
  }

  next(): Promise<Piece> {
    if (this.#waiting.length > 0) {
      const value = joined(this.#take());
      if (!this.#over) this.#resume();
      return Promise.resolve({ done: false, value });
    }
    return new Promise((resolve, reject) => {
      this.#reader = { resolve, reject };
      this.#await();
    });
  }

  return(): Promise<Piece> {
    if (!this.#over) this.#stop(undefined);
    this.#waiting = [];
    return Promise.resolve({ done: true, value: undefined });
  }

  get #at(): { reused: boolean; answered: boolean } {
    return { reused: this.#reused, answered: this.#answered };
  }

  #await(): void {
    if (this.#over) return this.#finish();
    this.#clock.heard();
    this.#resume();
  }

  #take(): Uint8Array[] {
    this.#waitingBytes = 0;
    return this.#waiting.splice(0);
  }

  #deliver(chunk: Uint8Array): void {
    if (this.#over) return;
    if (this.#sink !== undefined) this.#give(this.#sink, chunk);
    else if (this.#reader !== undefined) {
      const { resolve } = this.#reader;
      this.#reader = undefined;
      resolve({ done: false, value: chunk });
    } else {
      this.#clock.rest();
      this.#waiting.push(chunk);
      this.#waitingBytes += chunk.length;
      if (this.#waitingBytes > mostWaiting) this.#decoder?.pause();
    }
  }

  #give(sink: BodySink, chunk: Uint8Array): void {
    try {
      if (!sink.write(chunk)) this.#stop(undefined);
    } catch (fault) {
      this.#stop(fault);
    }
  }

  #resume(): void {
    if (this.#waitingBytes > mostWaiting) return;
    this.#decoder?.resume();
    if (this.#controller?.paused) this.#controller.resume();
  }

  /** The body is whole. */
  #end(): void {
    if (this.#over) return;
    this.#over = true;
    this.#finish();
  }

  /** Nothing more is wanted or comes: the connection is closed, and whoever waits is told. */
  #stop(fault: unknown): void {
    if (this.#over) return;
    this.#over = true;
    this.#fault = fault;
    this.#refuse(fault);
    // Without a controller the request is not on a socket yet.
    if (this.#controller !== undefined) this.#connection?.close();
    this.#decoder?.stop();
    this.#finish();
  }

  #finish(): void {
    const [settle, reader] = [this.#settle, this.#reader];
    this.#settle = this.#reader = undefined;
    if (this.#fault !== undefined) {
      settle?.reject(this.#fault);
      reader?.reject(this.#fault);
    } else {
      settle?.resolve();
      reader?.resolve({ done: true, value: undefined });
    }
  }
}

/** A server that writes token by token makes a piece of each; one read of the socket has many, and one answers for all. */
function joined(pieces: readonly Uint8Array[]): Uint8Array {
  if (pieces.length === 1) return pieces[0]!;
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

function flat(headers: IncomingHttpHeaders): Record<string, string | undefined> {
  for (const name in headers) {
    const value = headers[name];
    if (typeof value !== "string" && value !== undefined) headers[name] = value.join(", ");
  }
  return headers as Record<string, string | undefined>;
}
