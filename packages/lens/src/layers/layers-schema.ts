import * as z from "zod";
import type { LayerChoice, LayerChoices } from "./layer-choice.ts";

const layerDepth = z.strictObject({ depth: z.number().min(0).max(1) });

/** What `layers` of a capture may be; `lowest` is the lowest layer that there is. */
export function layersSchema(lowest: 0 | -1): z.ZodType<LayerChoices> {
  const layer = z.int().min(lowest);
  const layerChoice: z.ZodType<LayerChoice> = z.union([
    layer,
    layerDepth,
    z.array(z.lazy(() => layerChoice)).min(1),
  ]);
  const anyLayers = z.union([z.literal("all"), layerDepth, z.array(layerChoice).min(1)]);

  /** The first entry that is no layer, by its place: a union would only tell that the whole list is none. */
  function wrongLayer(
    given: unknown,
    path: (string | number)[],
  ): { path: (string | number)[]; message: string } {
    if (Array.isArray(given)) {
      const at = given.findIndex((entry) => !layerChoice.safeParse(entry).success);
      return at < 0 ? { path, message: "at least one layer" } : wrongLayer(given[at], [...path, at]);
    }
    if (given instanceof Set) return { path, message: "a Set is none: [...set] makes a list of it" };
    if (typeof given !== "number" && typeof given !== "object") return { path, message: "Invalid input" };
    const [issue] = (typeof given === "number" ? layer : layerDepth).safeParse(given).error?.issues ?? [];
    return {
      path: [...path, ...((issue?.path ?? []) as string[])],
      message: issue?.message ?? "Invalid input",
    };
  }

  return z.custom<LayerChoices>().superRefine((given, context) => {
    if (!anyLayers.safeParse(given).success) context.addIssue({ code: "custom", ...wrongLayer(given, []) });
  });
}
