import { ResiduaError } from "@residua/client";

/** An option of createLens, or of one of its methods, that cannot be. */
export class LensOptionError extends ResiduaError {
  declare readonly code: "invalid_option";

  constructor(message: string) {
    super("invalid_option", message);
  }
}
