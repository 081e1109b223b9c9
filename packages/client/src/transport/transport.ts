import type { TryClock } from "./try-clock.ts";

/** A request as it goes out, the same for every try. */
export interface Outgoing {
  method: "GET" | "POST" | "DELETE";
  /** Scheme, host and port. */
  origin: string;
  /** Path and query. */
  path: string;
  headers: Readonly<Record<string, string>>;
  /** JSON. */
  body: string | undefined;
  /** What the JSON is of, for a transport that takes values. */
  value?: object | undefined;
}

/** Takes a body as it arrives. */
export interface BodySink {
  /** False when no more is wanted: the rest is not read. A fault that it throws ends the try. */
  write(chunk: Uint8Array): boolean;
}

/** An answer whose headers have come. Its body is read once: by `read` or by `chunks`. It comes decompressed. */
export interface Incoming {
  status: number;
  /** Names in lower case. */
  headers: Readonly<Record<string, string | undefined>>;
  /** The body where it never was bytes: then nothing need be read. */
  value?: unknown;
  /** Resolves when the sink has had the whole body. Rejects with TransportFault, or with what the sink threw. */
  read(sink: BodySink): Promise<void>;
  /** The body as it arrives; `return` closes the connection. Rejects with TransportFault. */
  chunks(): AsyncIterator<Uint8Array, undefined>;
}

/** Sends one request. */
export interface Transport {
  /** It hands over the body itself: no JSON is made of it. */
  readonly takesValues?: true;
  /** The packings of a body that it undoes and must ask for itself. */
  readonly acceptEncoding?: string;
  /** Tells the clock how far the try is and ends when the clock does. Rejects with TransportFault. */
  open(request: Outgoing, clock: TryClock): Promise<Incoming>;
  close(): Promise<void>;
}
