import { ResiduaError } from "../residua-error.ts";

/** Bytes that one event of a stream may have unless `longestEvent` says otherwise: a capture of 64 MiB in base64 fits. */
const defaultLongestEvent = 2 ** 27;

/** What one text can hold is the most that can be asked for. Throws `invalid_option`. */
export function readLongestEvent(given: number | undefined, otherwise = defaultLongestEvent): number {
  const longest = given ?? otherwise;
  const most = 2 ** 29 - 24;
  if (Number.isInteger(longest) && longest >= 1 && longest <= most) return longest;
  const message = `longestEvent: ${String(given)} given; allowed: an integer of bytes from 1 to ${most}`;
  throw new ResiduaError("invalid_option", message);
}
