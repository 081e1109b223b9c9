import * as z from "zod";
import { field } from "./field.ts";
import { sources } from "./sources.ts";

/** The model of vLLM's tokenizer routes. */
export const tokenizerModel = field(
  z.string().min(1).nullish(),
  "an id from GET /models; the served one when left out",
  sources.tokenize,
);
