import { fieldAt } from "./field-path.ts";
import type { LensFields } from "./lens-fields.ts";
import type { LensProfile } from "./lens-profile.ts";

/** A salt that no two requests share: 32 random digits and letters. */
export const freshSalt = (): string => crypto.randomUUID().replaceAll("-", "");

/** A salt that keeps what a request changes of the stream from all others' prefix cache; none where the user set one. */
export function ownSalt({ cacheSalt }: LensProfile, fields: object): Pick<LensFields, "cacheSalt"> {
  const given = cacheSalt !== undefined && (fieldAt(fields, cacheSalt) ?? "") !== "";
  return given ? {} : { cacheSalt: freshSalt() };
}
