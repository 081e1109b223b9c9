export const residuaVersion = "0.1.0";

/** What a result was computed with. */
export function runVersions(): Record<string, string> {
  const { node, deno } = process.versions as NodeJS.ProcessVersions & { deno?: string };
  return { residua: residuaVersion, ...(deno === undefined ? { node } : { deno }) };
}
