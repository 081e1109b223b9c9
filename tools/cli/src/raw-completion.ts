import * as z from "zod";

const refusalSchema = z.object({
  error: z.object({ message: z.string(), code: z.string().nullish(), type: z.string().nullish() }),
  request_id: z.string().nullish(),
});

/**
 * Sends a completion request past every check of the client, and says how the server refused it: `400 invalid_request: … (request …)`. The key is that of
 * the environment, where the server is not the embedded one. Throws where it was not refused.
 */
export async function refusedRaw(
  { baseURL, embedded }: { baseURL: string; embedded: boolean },
  body: object,
  signal: AbortSignal,
): Promise<string> {
  const key = embedded ? undefined : process.env["ACS_API_KEY"];
  const response = await fetch(`${baseURL}/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", ...(key && { authorization: `Bearer ${key}` }) },
    body: JSON.stringify(body),
    signal,
  });
  const text = await response.text();
  if (response.ok) throw new Error(`${baseURL} answered a request that is over its limit`);
  const told = refusalSchema.safeParse(parsed(text));
  if (!told.success) return `${response.status}: ${text.slice(0, 300)}`;
  const { error, request_id } = told.data;
  const id = request_id ? ` (request ${request_id})` : "";
  return `${response.status} ${error.code ?? error.type ?? "error"}: ${error.message}${id}`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
