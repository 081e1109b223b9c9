import type { LensProfile } from "../profiles/lens-profile.ts";

/** −1, the token embeddings, where the profile's servers give them; else 0. */
export const lowestLayer = ({ capture }: LensProfile): 0 | -1 => (capture.embeddings === undefined ? 0 : -1);
