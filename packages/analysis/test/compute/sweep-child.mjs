// Sweeps in this thread and over workers with the package at the address that is given, and prints the backend, whether the
// results are equal, and whether an error of a worker came back as what it was. Plain JavaScript: what is compiled runs without a loader.
const { ProbeError, sweepLayers, useBackend } = await import(process.argv[2]);

const [rows, hiddenSize] = [120, 6];
const labels = Array.from({ length: rows }, (_, row) => row % 2);
const layers = [0, 1, 2].map((layer) =>
  Float32Array.from(
    { length: rows * hiddenSize },
    (_, at) => Math.sin(at * (layer + 1)) + (at % 6 === layer ? labels[Math.floor(at / 6)] : 0),
  ),
);
const dataset = {
  rows,
  hiddenSize,
  layers: [0, 1, 2],
  columns: ["label", "group"],
  column: async (name) => (name === "label" ? labels : labels.map((_, row) => row >> 1)),
  layer: async (layer) => layers[layer],
};
const options = { label: "label", group: "group", draws: 20, shuffles: 2, randomDirections: 3 };

const { name } = await useBackend({ prefer: "wasm" });
const here = await sweepLayers(dataset, { ...options, workers: 0 });
const there = await sweepLayers(dataset, { ...options, workers: 2 });
layers[1][7] = NaN;
const error = await sweepLayers(dataset, { ...options, workers: 2 }).catch((reason) => reason);
const carried = error instanceof ProbeError && error.code === "not_finite";
console.log(name, JSON.stringify(here) === JSON.stringify(there), carried);
