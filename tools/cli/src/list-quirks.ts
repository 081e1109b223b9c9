import { explainQuirks, type ProfileName, type QuirkExplanation } from "@residua/local-server";
import type { Output } from "./output.ts";

/** `residua serve --list-quirks`: what each quirk of a profile, or of all, does, who does it, and what catches it. */
export function listQuirks(output: Output, profile: ProfileName | null): void {
  const quirks = explainQuirks().filter(({ profiles }) => profile === null || profiles.includes(profile));
  output.result(quirks, quirks.map(describe).join("\n\n"));
}

function describe({ name, wrong, seen, caught, selfTest, profiles }: QuirkExplanation): string {
  const note = caught.note === undefined ? "" : ` (${caught.note})`;
  const check =
    caught.by === null
      ? `not caught in use: ${caught.note}`
      : `caught by ${caught.by}: ${caught.code}${note}`;
  const lines = [wrong, `seen at: ${seen}`, check, `profiles: ${profiles.join(", ")}`];
  if (selfTest.length > 0) lines.splice(3, 0, `found by residua selftest: ${selfTest.join(", ")}`);
  return [name, ...lines.map((line) => `  ${line}`)].join("\n");
}
