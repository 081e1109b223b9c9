/** A request as it goes out. */
export interface Outgoing {
  method: "GET" | "POST" | "DELETE";
  url: URL;
  headers: Readonly<Record<string, string>>;
  body: string | undefined;
  signal: AbortSignal;
}

/** An answer whose headers have come. Its body is read once: whole, chunk by chunk, or not at all. */
export interface Incoming {
  status: number;
  /** Names in lower case. */
  headers: Readonly<Record<string, string | undefined>>;
  /** The whole body. Rejects with TransportFault. */
  bytes(): Promise<Uint8Array>;
  /** The body as it arrives; leaving the loop closes the connection. Throws TransportFault. */
  chunks(): AsyncIterable<Uint8Array>;
}

/** Sends one request. Rejects with TransportFault, also when the signal ends it. */
export interface Transport {
  open(request: Outgoing): Promise<Incoming>;
  close(): Promise<void>;
}
