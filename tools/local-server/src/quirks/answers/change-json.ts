/** A JSON answer of a 200, changed; anything else stays. `change` returns null to leave the answer as it is. */
export async function changeJson(
  response: Response,
  change: (body: Record<string, unknown>) => object | null,
): Promise<Response> {
  if (response.status !== 200 || !isJson(response)) return response;
  const text = await response.text();
  const changed = change(JSON.parse(text) as Record<string, unknown>);
  return withBody(response, changed === null ? text : JSON.stringify(changed));
}

export function isJson({ headers }: Response): boolean {
  return /^application\/json\b/.test(headers.get("content-type") ?? "");
}

export function isEventStream({ headers }: Response): boolean {
  return /^text\/event-stream\b/.test(headers.get("content-type") ?? "");
}

/** The same answer with another body; one that comes in its own time is not compressed, which would hold it back. */
export function withBody(
  response: Response,
  body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>,
  status = response.status,
): Response {
  const headers = new Headers(response.headers);
  headers.delete("content-length");
  if (!(body instanceof ReadableStream)) headers.set("content-length", String(Buffer.byteLength(body)));
  else headers.append("cache-control", "no-transform");
  return new Response(body, { status, headers });
}
