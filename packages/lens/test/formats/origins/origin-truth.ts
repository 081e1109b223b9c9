import { fixtureJson } from "../fixture.ts";

/** What make_origins.py wrote into its files: numbers nested as arrays. */
export function originTruth<T>(origin: string): T {
  return (fixtureJson("origins/truth.json") as Record<string, T>)[origin]!;
}
