import { ResiduaError } from "@residua/client";
import { expandRequest, type ListRequest, shapeOfList, type Single } from "./expand-request.ts";

/** A request, or a list of them that is read as they are sent. */
export type Requests = object & Partial<Iterable<unknown> & AsyncIterable<unknown>>;

/** The singles of all requests; prompts are counted over them all. A request that cannot be taken apart is one of them. */
export async function* singlesOf(
  requests: Requests,
  temperature: number | undefined,
): AsyncGenerator<Single | { prompt: number; choice: number; error: ResiduaError }> {
  let prompts = 0;
  for await (const given of listOf(requests)) {
    try {
      const shape = shapeOfList(given, temperature);
      for (const single of expandRequest(given, shape)) yield { ...single, prompt: prompts + single.prompt };
      prompts += shape.prompts.length;
    } catch (error) {
      if (!(error instanceof ResiduaError)) throw error;
      yield { prompt: prompts++, choice: 0, error };
    }
  }
}

function listOf(requests: Requests): Iterable<ListRequest> | AsyncIterable<ListRequest> {
  const isMany = Symbol.iterator in requests || Symbol.asyncIterator in requests;
  return (isMany ? requests : [requests]) as Iterable<ListRequest> | AsyncIterable<ListRequest>;
}

/** How many choices there are, where that can be seen without reading a list. */
export function sizeOf(requests: Requests, temperature: number | undefined): number | undefined {
  if (!Array.isArray(requests) && (Symbol.iterator in requests || Symbol.asyncIterator in requests))
    return undefined;
  let size = 0;
  for (const given of listOf(requests) as Iterable<ListRequest>) {
    try {
      const { prompts, n } = shapeOfList(given, temperature);
      size += prompts.length * n;
    } catch {
      size += 1;
    }
  }
  return size;
}
