import * as z from "zod";
import { acsFields, acsHints } from "../fields/acs-fields.ts";
import { field } from "../fields/field.ts";
import { sources } from "../fields/sources.ts";
import { acsRules } from "../rules/acs-rules.ts";
import { defineEndpoint } from "./endpoint.ts";

/** A completion job of the hosted API: the same fields, three of them narrower. Source: Create Completion Job. */
export const acsJob = defineEndpoint({
  profile: "acs",
  name: "job",
  what: "completion job",
  route: "POST /v1/jobs/completions (assumed: no public page names it)",
  fields: {
    ...acsFields,
    temperature: field(z.number().min(0).max(2).nullish(), "a number from 0 to 2", sources.job),
    stream: field(z.literal(false).nullish(), "false: a completion job is never streamed", sources.job),
    stream_options: field(
      z.strictObject({ include_usage: z.boolean().nullish() }).nullish(),
      "left out: only with stream: true, and a completion job is never streamed",
      sources.job,
    ),
  },
  hints: acsHints,
  rules: acsRules({ choices: 128, source: sources.job }),
});
