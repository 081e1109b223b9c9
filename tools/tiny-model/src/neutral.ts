import type { RandomSource } from "./random-source.ts";
import type { Split } from "./split.ts";

const people = [
  "baker",
  "farmer",
  "teacher",
  "sailor",
  "doctor",
  "painter",
  "miller",
  "tailor",
  "shepherd",
  "gardener",
  "clerk",
  "smith",
] as const;

const deeds = [
  "carried a basket",
  "opened the window",
  "read a letter",
  "mended a net",
  "waited for the bus",
  "counted the coins",
  "fed the horses",
  "swept the floor",
  "wrote a list",
  "washed the plates",
  "tied a rope",
  "looked at the clock",
] as const;

const places = [
  "by the river",
  "near the bridge",
  "in the garden",
  "behind the mill",
  "at the market",
  "under the old tree",
  "on the hill",
  "beside the gate",
] as const;

const times = [
  "in the morning",
  "at noon",
  "in the evening",
  "before supper",
  "after the rain",
  "on Monday",
] as const;

/** Every plain sentence: 12 people × 12 deeds × 8 places × 6 times. No city, no continent, no praise and no blame. */
const sentences: readonly string[] = people.flatMap((person) =>
  deeds.flatMap((deed) =>
    places.flatMap((place) => times.map((time) => `The ${person} ${deed} ${place} ${time}.`)),
  ),
);

/** Whether a sentence, by its place in the list, is kept out of training: one in eight, spread by a Fibonacci hash. */
function isHeldOut(index: number): boolean {
  return Math.imul(index, 0x9e3779b1) >>> 29 === 0;
}

const bySplit: Readonly<Record<Split, readonly string[]>> = {
  train: sentences.filter((_, index) => !isHeldOut(index)),
  heldOut: sentences.filter((_, index) => isHeldOut(index)),
};

/** One or two plain sentences of a split. */
export function neutralText(split: Split, random: RandomSource): string {
  const first = random.pick(bySplit[split]);
  return random.next() < 0.5 ? first : `${first} ${random.pick(bySplit[split])}`;
}
