import { ApiError } from "@residua/engine/api";

/** Bytes a request may have: eight steering vectors of the largest size in base64, with room to spare. */
const maxBodyBytes = 32 * 1024 ** 2;

/** Bytes that the bodies under way may have together: who stalls keeps what was sent in memory. */
const maxBytesInAll = 256 * 1024 ** 2;
/** A body of so many bytes is read however much is under way. */
const smallBody = 1024 ** 2;
const retryAfterSeconds = 5;

let bytesInAll = 0;

/** Reads a request's JSON. Throws ApiError 413 `request_too_large`, 429 `rate_limited` or 400 `bad_json`. */
export async function readJsonBody(request: Request): Promise<unknown> {
  const announced = Number(request.headers.get("content-length") ?? 0);
  if (announced > maxBodyBytes) throw tooLarge(announced);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of (request.body ?? []) as unknown as AsyncIterable<Uint8Array>) {
      bytes += chunk.byteLength;
      bytesInAll += chunk.byteLength;
      if (bytes > maxBodyBytes) throw tooLarge(bytes);
      if (bytesInAll > maxBytesInAll && bytes > smallBody) throw tooMany();
      chunks.push(chunk);
    }
    return parse(Buffer.concat(chunks));
  } finally {
    bytesInAll -= bytes;
  }
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)) as unknown;
  } catch {
    throw new ApiError(400, "bad_json", "the body is not JSON in UTF-8");
  }
}

function tooLarge(bytes: number): ApiError {
  const message = `the body has ${bytes} bytes or more, over the ${maxBodyBytes} that are read`;
  return new ApiError(413, "request_too_large", message);
}

function tooMany(): ApiError {
  const message = `the bodies under way have more than the ${maxBytesInAll} bytes that they may have together; try again in ${retryAfterSeconds} s`;
  return new ApiError(429, "rate_limited", message, retryAfterSeconds);
}
