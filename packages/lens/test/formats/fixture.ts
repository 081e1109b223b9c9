import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Path of a file of fixtures/formats. */
export function fixturePath(name: string): string {
  return fileURLToPath(new URL(`../../fixtures/formats/${name}`, import.meta.url));
}

export function fixtureBytes(name: string): Uint8Array {
  return new Uint8Array(readFileSync(fixturePath(name)));
}

export function fixtureJson(name: string): unknown {
  return JSON.parse(readFileSync(fixturePath(name), "utf8"));
}
