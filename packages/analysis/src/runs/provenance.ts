import { z } from "zod";

const sha256 = z.string().regex(/^[0-9a-f]{64}$/, "a SHA-256 in hex");

const provenanceSchemaVersion = 1;

const inputSchema = z.object({
  /** What it was to the command, such as `dataset` or `prompts`. */
  role: z.string().min(1),
  path: z.string(),
  /** Content hash of a dataset, or SHA-256 of a file. */
  sha256,
});
export type ProvenanceInput = z.infer<typeof inputSchema>;

/** How a result came about. It stands beside the result, as `sweep.provenance.json` beside `sweep.json`. */
export const provenanceSchema = z.object({
  format: z.literal("residua-provenance"),
  schemaVersion: z.literal(provenanceSchemaVersion),
  /** The result: a plain file name in the same folder, and the SHA-256 of its bytes. */
  file: z.string().min(1),
  sha256,
  /** The command with its arguments, as one would type it. */
  command: z.string().min(1),
  inputs: z.array(inputSchema),
  /** Of Residua and what it ran on. */
  versions: z.record(z.string(), z.string()),
  /** Further facts worth knowing, such as the backend. */
  settings: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  /** ISO 8601. */
  createdAt: z.iso.datetime({ offset: true }),
  seconds: z.number().min(0),
});
export type Provenance = z.infer<typeof provenanceSchema>;

/** Where the provenance of a result stands: `sweep.json` → `sweep.provenance.json`. */
export function provenanceName(file: string): string {
  return file.replace(/(\.json)?$/, ".provenance.json");
}
