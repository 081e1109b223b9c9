import { statementsAbout } from "@residua/tiny-model";

/** The first statements about cities that the embedded model did not learn a verdict of. */
export function statements(count: number): string[] {
  return statementsAbout({ split: "heldOut" })
    .slice(0, count)
    .map(({ prompt }) => prompt);
}
