import { expect, test } from "vitest";
import type { ActivationDataset, DatasetView, ErasureDataset, SweepDataset } from "../../src/index.ts";
import type { FittedDataset } from "../../src/probes/fit-layers/fit-layer.ts";
import type { TrainingDataset } from "../../src/probes/trained/train-probe.ts";

/** What the type checker looks at: functions that read datasets take these as they are. */
const readers = {
  sweeps: (dataset: ActivationDataset | DatasetView): SweepDataset => dataset,
  trains: (dataset: ActivationDataset | DatasetView): TrainingDataset => dataset,
  fits: (dataset: ActivationDataset | DatasetView): FittedDataset => dataset,
  erases: (dataset: ActivationDataset | DatasetView): ErasureDataset => dataset,
};

test("whatever reads a dataset takes one from disk and a view of it", () => {
  expect(Object.keys(readers)).toHaveLength(4);
});
