import type { Design } from "./grouped-sets.ts";

/** The first two are held to the band of 93.5–96.5 %; the others show where intervals give way. */
export const designs: readonly Design[] = [
  { name: "labels vary in groups", groups: 80, sizes: "uniform", shared: 0.5, labels: "within", distance: 1 },
  { name: "groups of one class", groups: 80, sizes: "uniform", shared: 0.5, labels: "constant", distance: 1 },
  {
    name: "very unequal groups",
    groups: 50,
    sizes: "exponential",
    shared: 0.5,
    labels: "within",
    distance: 1,
  },
  { name: "few large errors", groups: 50, sizes: "exponential", shared: 0.5, labels: "leaning", distance: 2 },
];
