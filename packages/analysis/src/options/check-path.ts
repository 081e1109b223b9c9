import { InvalidRequestError } from "@residua/lens";
import { z } from "zod";
import { shown } from "./shown.ts";

const allowed = "a path: a text that is not empty and has no NUL character";

/** Path of a file or folder, in options. */
export const pathSchema = z.string({ error: allowed }).refine(isPath, { error: allowed });

/** What no file system takes for a path would else be told as a damaged file. Throws InvalidRequestError. */
export function checkPath(path: unknown, field: string): void {
  if (isPath(path)) return;
  throw new InvalidRequestError([{ field, given: shown(path), allowed }], "path");
}

function isPath(path: unknown): boolean {
  return typeof path === "string" && path !== "" && !path.includes("\0");
}
