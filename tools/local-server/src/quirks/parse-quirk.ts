import type { ProfileName } from "../profile.ts";
import type { Quirk } from "./quirk.ts";
import { quirkList, type QuirkName } from "./quirk-list.ts";

/** A quirk, and the probability with which a request meets it. */
export interface NamedQuirk {
  readonly quirk: Quirk<QuirkName>;
  readonly probability: number;
}

const form = /^([^=]*)(?:=(0|1|0?\.\d+|1\.0+))?$/;

/** Reads texts of the form NAME[=p], 0 ≤ p ≤ 1, default 1. Throws what `fail` makes of the problem. */
export function parseQuirks(
  texts: readonly string[],
  profile: ProfileName,
  fail: (problem: string) => Error,
): NamedQuirk[] {
  const named = texts.map((text) => {
    const shown = JSON.stringify(text.slice(0, 80));
    const [, name, probability = "1"] = form.exec(text.trim()) ?? [];
    if (name === undefined) throw fail(`${shown} is not NAME or NAME=p with p from 0 to 1`);
    const quirk = quirkList.find((other) => other.name === name);
    if (quirk === undefined) {
      const names = quirkList.filter((other) => actsAt(other, profile)).map((other) => other.name);
      // Words in another order or number are the likeliest slips: names of the same words come first.
      const likely = names.filter((other) => sharedWords(other, name) > 0);
      const near = likely.sort((a, b) => sharedWords(b, name) - sharedWords(a, name)).slice(0, 3);
      const hint = near.length === 0 ? "" : ` (like it: ${near.join(", ")})`;
      throw fail(`there is no quirk ${shown}${hint}; there are ${names.join(", ")}`);
    }
    if (!actsAt(quirk, profile))
      throw fail(`${name} does not act at the profile ${profile}, only at ${quirk.profiles!.join(", ")}`);
    return { quirk, probability: Number(probability) };
  });
  const names = named.map(({ quirk }) => quirk.name);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) throw fail(`${twice} is named twice; name it once`);
  return named;
}

export function actsAt({ profiles }: Quirk, profile: ProfileName): boolean {
  return profiles === undefined || profiles.includes(profile);
}

/** How many of the words of `given` a name has, in the plural or not. */
function sharedWords(name: string, given: string): number {
  const words = (text: string) => text.split(/[-_ ]/).map((word) => word.replace(/s$/, ""));
  return words(given).filter((word) => words(name).includes(word)).length;
}
