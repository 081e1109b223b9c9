import { APIError } from "@residua/client";
import * as z from "zod";
import type { LensCore } from "../lens-core.ts";
import type { LensOptions } from "../lens-types.ts";
import { decodeTensor, mostPacked, type Tensor, tensorHead } from "./tensor-codec.ts";
import { TensorError } from "./tensor-error.ts";

/** What a tensor behind a handle is fetched with. */
export type TensorSource = Pick<LensCore, "client" | "profile">;

const handleSchema = z.looseObject({
  handle: z.string().regex(/^[\w-]{1,256}$/),
  nbytes: z.int().nonnegative(),
});

/** The headers that repeat an entry's fields. Source: vllm-lens 1.3. */
const headerNames = {
  dtype: "x-vllm-lens-dtype",
  original_dtype: "x-vllm-lens-original-dtype",
  shape: "x-vllm-lens-shape",
  compression: "x-vllm-lens-compression",
} as const;

/**
 * The tensor of an entry of an answer: its data is in it, or behind a handle, and then fetched. A handle's headers are
 * compared with the entry. Throws TensorError.
 */
export async function loadTensor(
  source: TensorSource,
  wire: unknown,
  options: LensOptions = {},
): Promise<Tensor> {
  const head = tensorHead(wire);
  if (head.data !== undefined) return decodeTensor(wire);
  const parsed = handleSchema.safeParse(wire);
  if (!parsed.success)
    throw new TensorError("tensor_form", "a handle needs letters and digits, and its nbytes");
  const { handle, nbytes, ...entry } = parsed.data;
  if (nbytes > mostPacked(head)) {
    throw new TensorError(
      "tensor_size",
      `the handle's data has ${nbytes} bytes; shape ${head.shape.join(" × ")} of ${head.dtype} needs ${head.bytes}`,
      { nbytes, bytes: head.bytes },
    );
  }
  const { body, headers } = await fetchHandle(source, handle, options);
  if (!(body instanceof Uint8Array) || body.byteLength !== nbytes)
    throw mismatch("nbytes", nbytes, body instanceof Uint8Array ? body.byteLength : typeof body);
  for (const [field, name] of Object.entries(headerNames)) {
    const told = headers[name];
    if (told === undefined) continue;
    const wanted = entry[field] ?? "";
    const same = field === "shape" ? sameJSON(told, wanted) : told === wanted;
    if (!same) throw mismatch(field, wanted, told);
  }
  return decodeTensor({ ...entry, data: body });
}

async function fetchHandle({ client, profile }: TensorSource, handle: string, options: LensOptions) {
  if (profile.binary === undefined) {
    throw new TensorError(
      "handle_route",
      `the answer holds a handle, and the profile ${profile.name} has no route for it; give a profile with binary.route`,
    );
  }
  const path = profile.binary.route.replace("{handle}", handle);
  try {
    return await client.request({ path, bytes: true }, options);
  } catch (error) {
    if (!(error instanceof APIError) || error.status !== 404) throw error;
    throw new TensorError(
      "handle_expired",
      `the server has no such capture any more (${path}: 404): it keeps one for 300 s unless told otherwise, lets the oldest go when there are many, ` +
        "and each of several API server processes has its own. Capture again, and take the outcomes of captureMany sooner (a smaller " +
        "`window` has fewer wait); without binary the answer itself brings the numbers",
      { path, status: 404 },
    );
  }
}

function sameJSON(text: string, wanted: unknown): boolean {
  try {
    return JSON.stringify(JSON.parse(text)) === JSON.stringify(wanted);
  } catch {
    return false;
  }
}

function mismatch(field: string, wanted: unknown, came: unknown): TensorError {
  return new TensorError(
    "handle_mismatch",
    `the handle gave other data than its entry says: ${field} is ${JSON.stringify(wanted)}, and ${JSON.stringify(came)} came`,
    { field, wanted, came },
  );
}
