import { z } from "zod";

export const shareSchema = z.number().min(0).max(1);
export const countSchema = z.int().min(0);
