import { profileNames, type ProfileName } from "../profile.ts";
import { foundBySelfTest } from "./found-by-self-test.ts";
import type { Caught } from "./quirk.ts";
import { quirkList, type QuirkName } from "./quirk-list.ts";

/** What a quirk is, for a reader. */
export interface QuirkExplanation {
  readonly name: QuirkName;
  /** What goes wrong. */
  readonly wrong: string;
  /** Which server, version or report shows it. */
  readonly seen: string;
  readonly caught: Caught;
  /** The checks of lens's self-test that fail at a server that has it. */
  readonly selfTest: readonly string[];
  readonly profiles: readonly ProfileName[];
}

/** All quirks that a server can be started with. */
export function explainQuirks(): QuirkExplanation[] {
  return quirkList.map(({ name, wrong, seen, caught, profiles = profileNames }) => ({
    name,
    wrong,
    seen,
    caught,
    selfTest: foundBySelfTest[name] ?? [],
    profiles,
  }));
}
