import { endpoints, type ProfileName, requestJSONSchema } from "@residua/client";
import type { Output } from "./output.ts";
import type { CommandContext } from "./make-command.ts";

/** Options of `residua schema`. */
export interface SchemaOptions {
  profile?: ProfileName;
  endpoint?: string;
  list?: true;
}

/** `residua schema`: the JSON Schema of what an endpoint takes, one JSON document in any case; or the list of endpoints. */
export function schema(options: SchemaOptions, { output }: CommandContext): Promise<void> {
  const { profile, endpoint, list = false } = options;
  if (list) listEndpoints(output, profile);
  else printSchema(output, requestJSONSchema(profile ?? "acs", endpoint ?? "completions"));
  return Promise.resolve();
}

function printSchema(output: Output, found: object): void {
  output.result(found, JSON.stringify(found, undefined, 2));
}

function listEndpoints(output: Output, profile: ProfileName | undefined): void {
  const rows = Object.values(endpoints)
    .flat()
    .filter((one) => profile === undefined || one.profile === profile)
    .map(({ profile, name, route }) => ({ profile, endpoint: name, route }));
  output.result(rows, rows.map((row) => `${row.profile} ${row.endpoint}: ${row.route}`).join("\n"));
}
