import { InvalidRequestError, type ModelDescription } from "@residua/client";
import type { LensProfile } from "../profiles/lens-profile.ts";
import type { LayerChoice, LayerChoices } from "./layer-choice.ts";

/**
 * Layers ascending, each once; undefined for all layers of a model whose number of layers is not known. A layer that is
 * named twice is refused or merged as the profile says. Throws InvalidRequestError.
 */
export function resolveLayers(
  asked: LayerChoices,
  model: Pick<ModelDescription, "id" | "layers">,
  { repeated }: Pick<LensProfile["capture"], "repeated">,
): number[] | undefined {
  const count = model.layers.value;
  if (asked === "all") return count === undefined ? undefined : Array.from({ length: count }, (_, i) => i);
  const choices = flat(Array.isArray(asked) ? (asked as readonly LayerChoice[]) : [asked]);
  const named = choices.filter((choice) => typeof choice === "number");
  const beyond = named.find((layer) => count !== undefined && layer >= count);
  if (beyond !== undefined) {
    const allowed = `0 to ${(count ?? 0) - 1} (${model.id} has ${count} layers, ${sourceTexts[model.layers.source]})`;
    throw refused(String(beyond), allowed);
  }
  const twice = named.find((layer, i) => named.indexOf(layer) !== i);
  if (twice !== undefined && repeated === "refuse") {
    throw refused(`layer ${twice} twice`, "each layer once: this server refuses a layer that is named twice");
  }
  const layers = choices.map((choice) =>
    typeof choice === "number" ? choice : atDepth(choice.depth, count, model.id),
  );
  return [...new Set(layers)].sort((a, b) => a - b);
}

const sourceTexts: Readonly<Record<ModelDescription["layers"]["source"], string>> = {
  catalogue: "from the catalogue",
  stated: "as stated",
  "built-in": "from the built-in table",
  observed: "as an earlier capture of all showed",
  default: "by default",
  unknown: "of which nothing is known",
};

function flat(choices: readonly LayerChoice[]): Exclude<LayerChoice, readonly LayerChoice[]>[] {
  return choices.flatMap((choice) =>
    Array.isArray(choice)
      ? flat(choice as readonly LayerChoice[])
      : [choice as Exclude<LayerChoice, readonly LayerChoice[]>],
  );
}

function atDepth(fraction: number, count: number | undefined, id: string): number {
  if (count !== undefined) return Math.round(fraction * (count - 1));
  throw refused(
    `depth(${fraction})`,
    `layers by number: the number of layers of ${id} is not known. State it: ` +
      `createClient({ models: { ${JSON.stringify(id)}: { layers: 32 } } }), or capture "all" once`,
  );
}

function refused(given: string, allowed: string): InvalidRequestError {
  return new InvalidRequestError([{ field: "layers", given, allowed }], "capture request");
}
