import type { Example } from "@residua/analysis";
import {
  neutralTexts,
  reviewsWith,
  statementsAbout,
  verdictChoices,
  ratingChoices,
  type Statement,
} from "@residua/tiny-model";
import type { Question } from "./first-run-answers.ts";

/** Everything that a first run asks: the statements to probe and steer, questions about words, and neutral text. */
export interface FirstRunData {
  /** One true and one false statement about each city; split `train` or `heldOut`, group = the city. */
  readonly examples: Example[];
  readonly heldOut: readonly Statement[];
  readonly verdictChoices: readonly [string, string];
  readonly ratingChoices: readonly [string, string];
  readonly ratings: readonly Question[];
  readonly neutral: readonly string[];
}

/** A quarter of the cities is held out, as in the embedded model's training; `cities` takes fewer of both. */
export function firstRunData({ cities, neutral = 40 }: { cities: number; neutral?: number }): FirstRunData {
  const held = Math.round(cities / 4);
  const heldOut = firstGroups(statementsAbout({ split: "heldOut" }), held);
  const training = firstGroups(statementsAbout({ split: "train" }), cities - held);
  const ratings = reviewsWith({ split: "heldOut" }).map(({ prompt, rating, words }) => ({
    prompt,
    right: rating === "good" ? 0 : 1,
    // Two words make two reviews, one in each order.
    group: [...words].sort().join(" "),
  }));
  return {
    examples: [...training, ...heldOut].map(({ prompt, truth, continent, group, split }) => ({
      id: `${group}, ${truth ? "true" : "false"}`,
      prompt,
      group,
      labels: { truth, continent },
      split,
    })),
    heldOut,
    verdictChoices,
    ratingChoices,
    ratings,
    neutral: neutralTexts({ count: neutral }),
  };
}

/** The statements about the first `count` cities, in the order in which cities first appear. */
function firstGroups(statements: readonly Statement[], count: number): Statement[] {
  const groups = new Set([...new Set(statements.map(({ group }) => group))].slice(0, count));
  return statements.filter(({ group }) => groups.has(group));
}
