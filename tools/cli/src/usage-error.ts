/** Wrong input that the command itself found: which option, what was given, what is allowed. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  readonly code = "usage";
}
