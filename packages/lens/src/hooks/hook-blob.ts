import { checkFields, InvalidRequestError } from "@residua/client";
import * as z from "zod";

/**
 * A hook that was made elsewhere, in Python: `fn` is pickled code that the server runs. It is passed on as it is, and nothing
 * here can say what it does.
 */
export interface HookBlob {
  fn: {
    /** Base64. */
    cloudpickle: string;
  };
  /** Where it runs. Layers from 0. */
  layer_indices: readonly number[];
  /** Before the layer's block instead of after it. */
  pre?: boolean;
}

const base64 = z.string().regex(/^[A-Za-z0-9+/]+={0,2}$/, "expected base64");
const schema = z.strictObject({
  fn: z.strictObject({ cloudpickle: base64 }),
  layer_indices: z.array(z.int().nonnegative()).min(1),
  pre: z.boolean().optional(),
});
const fields = {
  fn: { allowed: '{ cloudpickle: "base64 of a function that cloudpickle packed" }' },
  layer_indices: { allowed: "a list of layers from 0, at least one" },
  pre: { allowed: "true or false" },
};

/** `layers`: how many the model has, where that is known. Throws InvalidRequestError that says which hook and what of it. */
export function checkHooks(hooks: readonly HookBlob[], layers?: number): void {
  if (!Array.isArray(hooks) || hooks.length === 0) {
    throw new InvalidRequestError(
      [
        {
          field: "hooks",
          given: Array.isArray(hooks) ? "a list of 0" : typeof hooks,
          allowed: "a list of hooks",
        },
      ],
      "hook request",
    );
  }
  for (const [i, hook] of (hooks as readonly HookBlob[]).entries()) {
    checkFields(hook, { schema, fields, what: `hook ${i}` });
    const beyond = hook.layer_indices.find((layer) => layers !== undefined && layer >= layers);
    if (beyond === undefined) continue;
    const allowed = `0 to ${(layers ?? 0) - 1}`;
    throw new InvalidRequestError([{ field: "layer_indices", given: String(beyond), allowed }], `hook ${i}`);
  }
}
