import type { Lens } from "@residua/lens";

/** What collecting takes of a lens. */
export type CollectLens = Pick<Lens, "describe" | "capture"> &
  Partial<Pick<Lens, "fingerprint" | "planCapture" | "encodeChat">>;
