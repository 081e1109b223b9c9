import { z } from "zod";

const text = z.string().min(1).optional();
const values = z.custom<object>(isNamed, "an object of names and values").optional();

/** What pairs and template values carry along. What the values may be is said where examples are checked. */
export const sharedFields = { id: text, group: text, labels: values, split: text, extra: values };

function isNamed(given: unknown): boolean {
  return typeof given === "object" && given !== null && !Array.isArray(given);
}
