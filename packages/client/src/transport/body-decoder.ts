import type { Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from "node:zlib";

/** What a decoder tells its owner. */
interface DecoderEvents {
  data: (chunk: Uint8Array) => void;
  end: () => void;
  fail: (reason: string, message: string) => void;
  /** More may be written after a refused `write`. */
  drained: () => void;
}

export interface BodyDecoder {
  /** False when it has enough until `drained`. */
  write(chunk: Uint8Array): boolean;
  end(): void;
  /** No more `data` for now. */
  pause(): void;
  resume(): void;
  stop(): void;
}

/** What a body may be packed with. */
export const acceptEncoding = "gzip, deflate, br";

const makers: Readonly<Record<string, (first: Uint8Array) => Transform>> = {
  gzip: () => createGunzip(),
  "x-gzip": () => createGunzip(),
  // Some servers send it without the header of zlib, whose low half byte is 8.
  deflate: (first) => (((first[0] ?? 8) & 15) === 8 ? createInflate() : createInflateRaw()),
  br: () => createBrotliDecompress(),
};

/** A decoder of a `Content-Encoding`; undefined for `identity`. Unknown ones and several at once fail at once. */
export function decoderFor(encoding: string, events: DecoderEvents): BodyDecoder | undefined {
  const name = encoding.trim().toLowerCase();
  if (name === "" || name === "identity") return undefined;
  const make = Object.hasOwn(makers, name) ? makers[name] : undefined;
  if (make === undefined) {
    const shown = JSON.stringify(name.slice(0, 40));
    events.fail("content_encoding", `the answer is packed as ${shown}; known: ${acceptEncoding}`);
    return undefined;
  }
  let stream: Transform | undefined;
  return {
    write(chunk) {
      stream ??= listen(make(chunk), name, events);
      return stream.write(chunk);
    },
    end() {
      if (stream === undefined) events.end();
      else stream.end();
    },
    pause: () => void stream?.pause(),
    resume: () => void stream?.resume(),
    stop: () => void stream?.destroy(),
  };
}

function listen(stream: Transform, name: string, { data, end, drained, fail }: DecoderEvents): Transform {
  return stream
    .on("data", data)
    .on("end", end)
    .on("drain", drained)
    .on("error", (error: NodeJS.ErrnoException) => {
      // zlib's word for data that end too early.
      if (error.code === "Z_BUF_ERROR")
        fail("incomplete_encoding", `the ${name} of the answer ends too early`);
      else fail("content_encoding", `the ${name} of the answer is corrupt: ${error.message}`);
    });
}
