import { ApiError } from "./api-error.ts";

/** Bytes a request may have: eight steering vectors of the largest size in base64, with room to spare. */
const maxBodyBytes = 32 * 1024 ** 2;

/** Reads a request's JSON. Throws ApiError 413 `request_too_large` or 400 `bad_json`. */
export async function readJsonBody(request: Request): Promise<unknown> {
  const tooLarge = (bytes: number) =>
    new ApiError(
      413,
      "request_too_large",
      `the body has ${bytes} bytes or more, over the ${maxBodyBytes} that are read`,
    );
  const announced = Number(request.headers.get("content-length") ?? 0);
  if (announced > maxBodyBytes) throw tooLarge(announced);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  if (request.body !== null) {
    for await (const chunk of request.body as unknown as AsyncIterable<Uint8Array>) {
      bytes += chunk.byteLength;
      if (bytes > maxBodyBytes) throw tooLarge(bytes);
      chunks.push(chunk);
    }
  }
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks))) as unknown;
  } catch {
    throw new ApiError(400, "bad_json", "the body is not JSON in UTF-8");
  }
}
