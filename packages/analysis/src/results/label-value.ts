import { z } from "zod";

/** A value of a label column that names a class. */
export const labelValueSchema = z.union([z.string(), z.number(), z.boolean()]);
