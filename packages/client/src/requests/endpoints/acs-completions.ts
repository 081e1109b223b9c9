import { acsFields, acsHints } from "../fields/acs-fields.ts";
import { acsRules } from "../rules/acs-rules.ts";
import { sources } from "../fields/sources.ts";
import { defineEndpoint } from "./endpoint.ts";

/** POST /v1/completions of the hosted API. Source: Sample continuations; ranges that it leaves out: Create Completion Job. */
export const acsCompletions = defineEndpoint({
  profile: "acs",
  name: "completions",
  what: "completion request",
  route: "POST /v1/completions",
  fields: acsFields,
  hints: acsHints,
  rules: acsRules({ choices: 1024, source: sources.completions }),
});
