import { z } from "zod";
import { countSchema } from "../results/number-schemas.ts";

const statusSchema = z.enum(["pass", "fail", "not applicable", "inconclusive"]);

const fingerprintSchema = z.looseObject({
  format: z.literal("residua-server-fingerprint"),
  hash: z.string(),
  profile: z.string(),
  version: z.string().nullable(),
  systemFingerprint: z.string().nullable(),
  plugin: z.string().nullable(),
  model: z.string(),
  checkpoint: z.string(),
  layers: countSchema,
  behaviours: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  verdicts: z.record(z.string(), statusSchema),
  date: z.string(),
});
export type FingerprintDocument = z.infer<typeof fingerprintSchema>;

/** What `lens.selfTest` returns and `residua selftest --json` prints, as far as a report shows it. */
export const selfTestSchema = z.looseObject({
  fingerprint: fingerprintSchema,
  results: z.array(
    z.looseObject({
      code: z.string(),
      title: z.string(),
      status: statusSchema,
      detail: z.string(),
      meaning: z.string(),
    }),
  ),
  changes: z.array(z.string()),
  requests: countSchema,
  seconds: z.number().min(0),
  /** Of the command: what the plan stands on, and which of that is not shown to hold. */
  needs: z.array(z.string()).optional(),
  unmet: z.array(z.looseObject({ need: z.string(), reason: z.string() })).optional(),
});
export type SelfTestDocument = z.infer<typeof selfTestSchema>;

/** A dataset's manifest holds the same, checked only as far as the dataset needs it. */
export function fingerprintOf(server: unknown): FingerprintDocument | undefined {
  return fingerprintSchema.safeParse(server).data;
}
