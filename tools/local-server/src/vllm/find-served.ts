import type { ServedModel } from "@residua/engine/api";
import { unknownModel } from "./vllm-error.ts";

/** The model of a request: without a name, the one there is. Throws ApiError 404. */
export function findServed(served: readonly ServedModel[], name: string | null | undefined): ServedModel {
  const [only] = served;
  if (name == null || name === "" || name === only!.id) return only!;
  throw unknownModel(name);
}
