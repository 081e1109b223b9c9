import type { Model } from "../model.ts";

/** A model under one of its ids. */
export interface ServedModel {
  readonly id: string;
  readonly checkpoint: string;
  readonly model: Model;
  /** The hidden size by which limits count: the catalogue's. */
  readonly countedHiddenSize: number;
  readonly listed: boolean;
}

/** What a model counts as that the catalogue does not have: its largest hidden size. */
const uncataloguedHiddenSize = 16_384;

/** The model under its id, and under `<id>-uncatalogued`, which is not listed. */
export function serveModel(model: Model, id: string, checkpoint: string): readonly ServedModel[] {
  const { hiddenSize } = model.config;
  return [
    { id, checkpoint, model, countedHiddenSize: hiddenSize, listed: true },
    {
      id: `${id}-uncatalogued`,
      checkpoint,
      model,
      countedHiddenSize: uncataloguedHiddenSize,
      listed: false,
    },
  ];
}
