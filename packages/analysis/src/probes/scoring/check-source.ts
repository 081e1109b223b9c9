import { ProbeError } from "../probe-error.ts";
import type { TrainedProbe } from "../trained/trained-probe.ts";

/** Where rows come from: a capture, or a dataset. */
export interface RowOrigin {
  readonly what: "capture" | "dataset";
  readonly hiddenSize: number;
  readonly layers: readonly number[];
  /** null: not known. */
  readonly model: string | null;
}

/** The probe's layer, where the rows are of its width, layer and model. Throws ProbeError `wrong_width`, `wrong_layer`, `wrong_model`. */
export function layerToScore(probe: TrainedProbe, { what, hiddenSize, layers, model }: RowOrigin): number {
  const { name, width, layer } = probe;
  if (hiddenSize !== width) {
    throw new ProbeError(
      "wrong_width",
      `The probe ${name} reads rows of ${width} numbers, and those of the ${what} have ${hiddenSize}: it is another model.`,
      { width, hiddenSize },
    );
  }
  if (probe.model !== null && model !== null && probe.model !== model) {
    throw new ProbeError(
      "wrong_model",
      `The probe ${name} was trained on ${probe.model}, and the ${what} is of ${model}.`,
      { probe: probe.model, given: model },
    );
  }
  if (layer === null) {
    throw new ProbeError(
      "wrong_layer",
      `The layer of the probe ${name} is not known: give trainProbe the layer.`,
    );
  }
  if (layers.includes(layer)) return layer;
  throw new ProbeError(
    "wrong_layer",
    `The probe ${name} reads layer ${layer}, and the ${what} holds ${layers.join(", ")}.`,
    { layer, layers },
  );
}
