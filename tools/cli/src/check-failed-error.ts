/** A check that was asked for found something wrong, and its result is printed: exit code 3. */
export class CheckFailedError extends Error {
  override readonly name = "CheckFailedError";
  readonly code = "check_failed";
}
