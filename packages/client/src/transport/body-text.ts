import { TransportFault } from "./transport-fault.ts";

/** V8's longest string. */
const longestText = 2 ** 29 - 24;

/** A body as text. Throws TransportFault `response_too_large` when no text can hold it. */
export function bodyText(bytes: Uint8Array): string {
  if (bytes.byteLength <= longestText) return new TextDecoder().decode(bytes);
  throw new TransportFault(
    "response_too_large",
    `an answer of ${bytes.byteLength} bytes is over the ${longestText} that one text can hold`,
    { reused: false, answered: true },
  );
}
